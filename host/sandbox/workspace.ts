// Copies files into a sandbox's /workspace, and reads their changes. The guest lists and sends its files
// itself: every word of it is checked here.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import type { ExecOptions, Machine } from '../microvm/port.ts';
import { type Pieces, piecesOf } from '#drivers/sandbox/pieces.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import { fileHead, GONE, isCleanPath, MAX_PATH } from '#drivers/sandbox/wire.ts';
import { readJson, writeAtomic } from '../resources/files.ts';

export const WORKSPACE = '/workspace';
export const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1_048_576;
const DEADLINE_MS = 120_000;

/** What was put there: its content, and what the guest knew the file by then. */
const Baseline = z.record(z.string(), z.object({ sha256: z.string(), size: z.number(), seen: z.string() }));
type Baseline = z.infer<typeof Baseline>;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const baselinePath = (dir: string): string => join(dir, 'baseline.json');

/** Reads records of files, checks them, writes them in the guest; answers how many. */
export async function putFiles(machine: Machine, dir: string, files: Pieces): Promise<number> {
  const put = new Map<string, { sha256: string; size: number }>();
  let bytes = 0;
  let refusal: SandboxError | undefined;
  async function* records(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const head = await files.take(8);
      if (head === undefined) return;
      const [length, size] = [head.readUInt32LE(0), head.readUInt32LE(4)];
      bytes += size;
      if (length > MAX_PATH || put.size >= MAX_FILES || bytes > MAX_BYTES)
        throw new SandboxError('bad_request', `A sandbox takes ${MAX_FILES} files of ${MAX_BYTES / 1_048_576} MiB in all, with paths of ${MAX_PATH} bytes.`);
      const path = (await files.take(length))?.toString() ?? '';
      if (!isCleanPath(path)) throw new SandboxError('bad_request', `"${path.slice(0, 100)}" is no path of a file below ${WORKSPACE}.`);
      const content = size === 0 ? Buffer.alloc(0) : await files.take(size);
      if (content === undefined) throw new SandboxError('bad_request', 'The files ended within one.');
      put.set(path, { sha256: sha256(content), size });
      yield fileHead(path, size);
      yield content;
    }
  }
  async function* guarded(): AsyncGenerator<Uint8Array> {
    try {
      yield* records();
    } catch (error) {
      refusal = error instanceof SandboxError ? error : new SandboxError('bad_request', 'The files could not be read to their end.');
    }
  }
  const feed = guarded();
  const first = await feed.next();
  if (refusal !== undefined) throw refusal;
  if (first.done === true) return 0;
  let words = '';
  const code = await machine.exec('!put', [], {
    cwd: WORKSPACE,
    stdin: (async function* () {
      yield first.value;
      yield* feed;
    })(),
    onOutput: (_stream, chunk) => (words = (words + Buffer.from(chunk).toString()).slice(-300)),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (refusal !== undefined) throw refusal;
  if (code !== 0) throw new SandboxError('bad_request', `The files could not be written into the sandbox: ${words.trim() || `code ${code}`}`);
  const seen = await listFiles(machine);
  const baseline: Baseline = {};
  for (const [path, about] of put) baseline[path] = { ...about, seen: seen.get(path)?.seen ?? '' };
  await writeAtomic(baselinePath(dir), JSON.stringify(baseline));
  return put.size;
}

export async function changedFiles(machine: Machine, dir: string, maxBytes: number): Promise<{ path: string; content: Uint8Array | null }[]> {
  const baseline = new Map(Object.entries((await readJson(baselinePath(dir), Baseline)) ?? {}));
  const now = await listFiles(machine);
  const touched = [...now].filter(([path, about]) => baseline.get(path)?.seen !== about.seen);
  const total = touched.reduce((sum, [, about]) => sum + about.size, 0);
  if (total > maxBytes) throw new SandboxError('bad_request', `The changed files are ${total} bytes, more than the ${maxBytes} that may be read: delete some.`);
  const changes: { path: string; content: Uint8Array | null }[] = [];
  if (touched.length > 0) {
    const paths = touched.map(([path]) => path);
    const contents = await getFiles(machine, paths, maxBytes);
    paths.forEach((path, index) => {
      const content = contents[index] ?? null;
      const before = baseline.get(path);
      const same = content === null ? before === undefined : before?.size === content.length && before.sha256 === sha256(content);
      if (!same) changes.push({ path, content });
    });
  }
  for (const path of baseline.keys()) if (!now.has(path)) changes.push({ path, content: null });
  return changes;
}

async function listFiles(machine: Machine): Promise<Map<string, { size: number; seen: string }>> {
  const files = new Map<string, { size: number; seen: string }>();
  await talk(machine, '!list', [String(MAX_FILES)], undefined, MAX_FILES * (24 + MAX_PATH), async (pieces) => {
    for (;;) {
      const head = await pieces.take(24);
      if (head === undefined) return;
      const [length, size] = [head.readUInt32LE(0), head.readUInt32LE(4)];
      if (length === 0 || length > 4_096 || files.size > MAX_FILES) throw new Error('beyond the bounds');
      const path = (await pieces.take(length))?.toString() ?? '';
      // A name that is no name to us (control characters, another encoding) stays in the sandbox.
      if (isCleanPath(path)) files.set(path, { size, seen: head.toString('hex', 4) });
    }
  });
  return files;
}

async function getFiles(machine: Machine, paths: string[], maxBytes: number): Promise<(Uint8Array | null)[]> {
  const contents: (Uint8Array | null)[] = [];
  let total = 0;
  async function* asked(): AsyncGenerator<Uint8Array> {
    for (const path of paths) {
      const name = Buffer.from(path);
      const head = Buffer.alloc(4);
      head.writeUInt32LE(name.length);
      yield Buffer.concat([head, name]);
    }
  }
  await talk(machine, '!get', [], asked(), maxBytes + paths.length * 4, async (pieces) => {
    while (contents.length < paths.length) {
      const size = (await pieces.take(4))?.readUInt32LE(0);
      if (size === undefined) throw new Error('it ended before its last file');
      if (size !== GONE) total += size;
      if (total > maxBytes) throw new Error('more bytes than it listed');
      contents.push(size === GONE ? null : size === 0 ? new Uint8Array() : ((await pieces.take(size)) ?? null));
    }
  });
  return contents;
}

/** One of the first process's file commands, its answer bounded in bytes and time. */
async function talk(
  machine: Machine,
  command: string,
  args: string[],
  stdin: AsyncIterable<Uint8Array> | undefined,
  maxBytes: number,
  read: (pieces: Pieces) => Promise<void>,
): Promise<void> {
  const output = new PassThrough({ highWaterMark: 1_048_576 });
  const abort = new AbortController();
  let received = 0;
  const options: ExecOptions = {
    cwd: WORKSPACE,
    signal: AbortSignal.any([abort.signal, AbortSignal.timeout(DEADLINE_MS)]),
    onOutput: (stream, chunk) => {
      if (stream !== 'stdout') return;
      received += chunk.length;
      if (received > maxBytes) abort.abort();
      else output.write(chunk);
    },
    ...(stdin === undefined ? {} : { stdin }),
  };
  const running = machine.exec(command, args, options).finally(() => output.end());
  running.catch(() => undefined); // awaited below
  try {
    await read(piecesOf(output));
  } catch (error) {
    abort.abort();
    const why = error instanceof Error ? error.message : 'unreadable';
    throw new SandboxError('bad_request', `The files of the sandbox could not be read: ${why}.`);
  }
  const code = await running;
  if (received > maxBytes) throw new SandboxError('bad_request', 'The sandbox sent more than it may.');
  if (code === 3) throw new SandboxError('bad_request', `The sandbox holds more than ${MAX_FILES} files below ${WORKSPACE}: delete some.`);
  if (code !== 0) throw new SandboxError('bad_request', `The files of the sandbox could not be read (code ${code}).`);
}
