// One's own agent: it waits, streams, hands on, remembers, and looks for secrets where it should find none.
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, CallFailed, skill, z } from '@svc/sdk';

const empty = z.object({});
const ended: string[] = [];

export class Keeper extends Agent {
  override name = 'keeper';
  override description = 'Keeps what it is told to keep.';
  override version = '1.0.0';
  override concurrency = 8;
  override requiredSecrets = ['TOKEN'];
  override resources = { cpu: '1', memory: '256Mi', maxRuntimeSeconds: 600 };
  override egress = { allowInternalServices: ['ledger.internal', 'mirror.internal'] };

  /** Under a grant of its own it asks a person; what ends it otherwise is kept for `endings`. */
  keep = skill(
    { description: 'Keeps a thing where you allow it.', input: z.object({ prefix: z.string() }), output: z.object({ answer: z.string(), steps: z.number() }), allowScopeExpansion: true },
    async (ctx, { prefix }) => {
      await ctx.requestScope({ reason: 'to keep it there', writePrefix: prefix, mode: 'read_write_overlay', ttlSeconds: 600, timeoutSeconds: 3600 });
      let steps = 1;
      try {
        const answer = await ctx.ask('Shall it be kept?', 3600);
        steps += 1;
        return { answer, steps };
      } catch (error) {
        ended.push(error instanceof Error ? error.name : 'unknown');
        throw error;
      }
    },
  );
  endings = skill({ description: 'How runs ended that were not answered.', input: empty, output: z.array(z.string()) }, async () => ended);

  count = skill(
    { description: 'Counts aloud.', input: z.object({ to: z.int(), ms: z.int() }), output: z.object({ sum: z.number() }), stream: true },
    async (ctx, { to, ms }) => {
      let sum = 0;
      for (let n = 1; n <= to; n += 1) {
        await ctx.emitTextDelta(`${n} `);
        sum += n;
        await sleep(ms);
      }
      return { sum };
    },
  );

  relay = skill(
    { description: 'Has another agent write a line.', input: z.object({ text: z.string() }), output: z.object({ said: z.unknown(), refused: z.string().nullable() }) },
    async (ctx, { text }) => {
      try {
        return { said: (await ctx.call('scribe', 'write', { text }, { timeoutSeconds: 60 })).result, refused: null };
      } catch (error) {
        return { said: null, refused: error instanceof CallFailed ? `${error.calleeCode}: ${error.message}` : String(error) };
      }
    },
  );

  think = skill(
    { description: 'Asks a model in two ways.', input: z.object({ about: z.string() }), output: z.object({ said: z.string(), plainly: z.string() }) },
    async (ctx, { about }) => {
      const { text } = await ctx.llm.generate(about);
      const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'm-1', messages: [{ role: 'user', content: about }] });
      const answer = await (await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })).json();
      return { said: text, plainly: answer.choices[0].message.content };
    },
  );

  note = skill(
    { description: 'Remembers a word, and says the one before.', input: z.object({ word: z.string() }), output: z.object({ before: z.unknown() }) },
    async (ctx, { word }) => {
      const before = (await ctx.memory.get('word'))?.value ?? null;
      await ctx.memory.put('word', word);
      return { before };
    },
  );

  fetch = skill(
    { description: 'Fetches.', input: z.object({ url: z.string() }), output: z.object({ status: z.number(), text: z.string() }) },
    async (_ctx, { url }) => {
      try {
        const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
        return { status: response.status, text: (await response.text()).slice(0, 500) };
      } catch (error) {
        return { status: 0, text: String(error instanceof Error ? (error.cause ?? error) : error) };
      }
    },
  );

  /** The texts come backwards, so that asking does not put them where they are looked for. */
  search = skill(
    {
      description: 'Counts the places in which it finds each text.',
      input: z.object({ backwards: z.array(z.string()) }),
      output: z.object({ held: z.number(), environments: z.array(z.number()), files: z.array(z.number()), memory: z.array(z.number()), bytes: z.number() }),
    },
    async (ctx, { backwards }) => {
      // As numbers: as a text it would stand where it is looked for.
      const wanted = backwards.map((text) => Array.from(text, (letter) => letter.charCodeAt(0)).reverse());
      const tally = () => wanted.map(() => 0);
      const found = { held: ctx.secret('TOKEN').length, environments: tally(), files: tally(), memory: tally(), bytes: 0 };
      const look = (content: Buffer, counts: number[]): void => {
        wanted.forEach((codes, n) => (counts[n] = (counts[n] ?? 0) + (holds(content, codes) ? 1 : 0)));
      };
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        for (const file of ['environ', 'cmdline']) content(join('/proc', pid, file), (bytes) => look(bytes, found.environments));
        for (const chunk of memoryOf(pid)) {
          found.bytes += chunk.length;
          look(chunk, found.memory);
        }
      }
      for (const path of files('/')) content(path, (bytes) => look(bytes, found.files));
      return found;
    },
  );
}

function holds(content: Buffer, codes: readonly number[]): boolean {
  const [first = 0] = codes;
  for (let at = content.indexOf(first); at >= 0; at = content.indexOf(first, at + 1)) {
    if (codes.every((code, n) => content[at + n] === code)) return true;
  }
  return false;
}

function content(path: string, take: (bytes: Buffer) => void): void {
  try {
    take(readFileSync(path));
  } catch {
    // Not for this user.
  }
}

const elsewhere = new Set(['/proc', '/sys', '/dev', '/var/lib/dpkg', '/usr', '/lib', '/lib64', '/bin', '/sbin']);

function* files(folder: string): Generator<string> {
  if (elsewhere.has(folder)) return;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') yield* files(path);
      else if (entry.isFile() && statSync(path).size < 4_000_000) yield path;
    }
  } catch {
    // Not for this user.
  }
}

/** What a process has in memory of all that it may write to, piece by piece, each a little into the next. */
function* memoryOf(pid: string): Generator<Buffer> {
  const opened: number[] = [];
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
    const [memory = -1, pages = -1] = ['mem', 'pagemap'].map((name) => {
      const file = openSync(`/proc/${pid}/${name}`, 'r');
      opened.push(file);
      return file;
    });
    const chunk = Buffer.alloc(1 << 20);
    const overlap = 256;
    for (const [, from = '', to = ''] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)) {
      for (const [start, end] of present(pages, parseInt(from, 16), parseInt(to, 16))) {
        for (let at = start; at < end; at += chunk.length - overlap) {
          const read = readAt(memory, chunk, Math.min(chunk.length, end - at), at);
          if (read > 0) yield chunk.subarray(0, read);
        }
      }
    }
  } catch {
    // Not for this user.
  } finally {
    opened.forEach(closeSync);
  }
}

/** The stretches of a mapping that have pages: most of what a process reserves it never touches. */
function* present(pages: number, from: number, to: number): Generator<[number, number]> {
  const size = 4096;
  const entries = Buffer.alloc(((to - from) / size) * 8);
  const known = readAt(pages, entries, entries.length, (from / size) * 8) / 8;
  let start = -1;
  for (let n = 0; n <= known; n += 1) {
    const there = n < known && ((entries[n * 8 + 7] ?? 0) & 0xc0) !== 0;
    if (there && start < 0) start = n;
    if (there || start < 0) continue;
    yield [from + start * size, from + n * size];
    start = -1;
  }
}

function readAt(file: number, into: Buffer, length: number, at: number): number {
  try {
    return readSync(file, into, 0, length, at);
  } catch {
    return 0;
  }
}
