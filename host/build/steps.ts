// What a build does in its machine, each step one program; and how its result comes out, from a guest that
// may by now be hostile.
import { MAX_CARD_LENGTH } from '#contract/wire/limits.ts';
import { once } from 'node:events';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { extract } from 'tar';
import { z } from 'zod';
import type { Machine } from '../microvm/port.ts';
import { guestPaths } from '../guest/config.ts';
import type { BuildSettings } from '../options.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { RuntimeError, type PackedFrontend } from '#drivers/runtime/port.ts';
import { cut, maxMessage, plainText } from './guest/check-report.ts';
import { authorExit, buildPaths, cardPath, type BuildPlan, type Inspection, type PlannedService } from './guest/plan.ts';
import { readTools } from './checks.ts';
import { builderArgs, buildEnv, planOf } from './machine.ts';
import type { BuildLog } from './output.ts';
import { remedy, type TenantLimits } from './plans.ts';
import type { Toolchain } from './toolchains.ts';

/** It comes out of a guest. The key names a file. */
const InspectionShape = z.object({
  until: z.enum(['inspected', 'installed', 'bundled']),
  cache_key: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

const VerdictShape = z.object({ passed: z.boolean(), message: z.string() });
const maxVerdict = 65_536;

export interface BuildSteps {
  unpack(archive: AsyncIterable<Uint8Array>, into: string, flags: '-xzf' | '-xf'): Promise<void>;
  begin(cache: { known: string[]; salt: string }): Promise<Inspection>;
  /** `kept`: the host has what was installed, and adds it to the result itself. */
  bundle(kept: boolean): Promise<void>;
  /** As `begin`, of the frontend's packages; it builds nothing yet. */
  beginFrontend(cache: { known: string[]; salt: string }): Promise<Inspection>;
  packFrontend(): Promise<void>;
  /** The project's tests; with the archive of tools its types too. @throws RuntimeError checks_failed */
  check(tools: string | undefined): Promise<void>;
  /** What the build says the card is; undefined where it does not know. */
  card(): Promise<unknown>;
  /** A tar archive of `name` in a folder of the guest. */
  archive(folder: string, name: string): Readable;
}

export function buildSteps(
  machine: Machine,
  of: {
    language: Toolchain;
    version?: string | undefined;
    entrypoint: string;
    frontend?: PackedFrontend | undefined;
    service?: PlannedService;
    tenant: TenantLimits;
  },
  settings: BuildSettings,
  log: BuildLog,
): BuildSteps {
  const env = buildEnv(settings);
  // Never in the author's folder: bun would read its configuration, and run code that it names.
  const cwd = buildPaths.root;
  const must = (code: number, what: string): void => {
    if (code === 0) return;
    if (code === authorExit) throw new RuntimeError('build_failed', log.errors().slice(-3).join('\n') || `${what} failed.`);
    if (code === 137) throw new RuntimeError('build_failed', `${what} ran out of memory (${settings.memoryMib} MiB).`);
    throw new RuntimeError('build_failed', `${what} failed with code ${code}. ${log.errors().at(-1) ?? ''}`.trim());
  };
  async function program(plan: BuildPlan, onOutput: BuildLog['onOutput']): Promise<void> {
    must(await machine.exec(guestPaths.bun, builderArgs(plan), { cwd, env, onOutput }), 'The build');
  }
  async function inspected(stage: BuildPlan['stage'], cache: { known: string[]; salt: string }): Promise<Inspection> {
    let first: string | undefined;
    let line = '';
    await program(planOf(settings, { ...of, ...cache, stage }), (stream, chunk) => {
      if (stream === 'stderr' || first !== undefined) return log.onOutput(stream, chunk);
      line += Buffer.from(chunk).toString();
      const end = line.indexOf('\n');
      if (end < 0 && line.length < 10_000) return;
      first = line.slice(0, Math.max(0, end));
      log.onOutput(stream, Buffer.from(line.slice(end + 1)));
    });
    const parsed = InspectionShape.safeParse(parseJson(first ?? ''));
    if (!parsed.success) throw new RuntimeError('internal', 'The build program gave no answer.');
    return parsed.data;
  }
  return {
    bundle: (kept) => program(planOf(settings, { ...of, kept, stage: 'bundle' }), log.onOutput),
    async card() {
      let text = '';
      const onOutput = (_stream: string, chunk: Uint8Array): void => void (text = text.length > MAX_CARD_LENGTH ? text : text + Buffer.from(chunk).toString());
      await machine.exec('cat', [cardPath], { cwd, env, onOutput });
      return text.length > MAX_CARD_LENGTH ? undefined : parseJson(text);
    },
    async unpack(archive, into, flags) {
      const code = await machine.exec('tar', [flags, '-', '-C', into, '--no-same-owner'], { cwd, env, stdin: archive, onOutput: log.onOutput });
      must(code, 'Unpacking the source');
    },
    async check(tools) {
      if (tools !== undefined) {
        must(await machine.exec('mkdir', ['-p', buildPaths.checks], { cwd, env, onOutput: log.onOutput }), 'Making a folder');
        await this.unpack(readTools(tools), buildPaths.checks, '-xf');
      }
      let output = '';
      const check = { types: tools !== undefined, within_ms: settings.checkMs };
      await program(planOf(settings, { ...of, check, stage: 'check' }), (stream, chunk) => {
        if (stream === 'stderr') log.onOutput(stream, chunk);
        else if (output.length < maxVerdict) output += Buffer.from(chunk).toString();
      });
      const verdict = VerdictShape.safeParse(parseJson(output));
      if (!verdict.success) throw new RuntimeError('checks_failed', 'The checks ended without a verdict; see the log of the build.');
      const { passed, message } = verdict.data;
      if (!passed) throw new RuntimeError('checks_failed', cut(plainText(message), maxMessage) || 'The checks failed; see the log of the build.');
    },
    packFrontend: () => program(planOf(settings, { ...of, stage: 'frontend' }), log.onOutput),
    begin: (cache) => inspected('begin', cache),
    beginFrontend: (cache) => inspected('frontend_begin', cache),
    archive(folder, name) {
      const bytes = new PassThrough({ highWaterMark: 1_048_576 });
      const args = ['-cf', '-', '-C', folder, '--mode=a+rX,u+w,u-s,g-s', '--owner=0', '--group=0', '--sort=name', '--mtime=@0', name];
      const onOutput = (stream: 'stdout' | 'stderr', chunk: Uint8Array): Promise<unknown> | undefined => {
        if (stream === 'stderr') log.onOutput(stream, chunk);
        // Until who reads it has read: what a guest sends faster would be kept in memory.
        else if (!bytes.destroyed && !bytes.write(chunk)) return Promise.race([once(bytes, 'drain'), once(bytes, 'close')]);
        return undefined;
      };
      machine.exec('tar', args, { cwd, env, onOutput }).then(
        (code) => (code === 0 ? bytes.end() : bytes.destroy(new RuntimeError('build_failed', 'Packing the result failed.'))),
        (error: unknown) => bytes.destroy(error instanceof Error ? error : new Error(String(error))),
      );
      return bytes;
    },
  };
}

/** Files and folders, those that only names of files imply among them. */
const MAX_ENTRIES = 50_000;
/** Longer than any system opens. */
const maxPath = 4_096;

/**
 * Unpacks the guest's result: plain files and folders only, bounded in number and bytes. Answers the folder.
 */
export async function takeOut(
  archive: Readable,
  dir: string,
  tenant: TenantLimits,
  onBytes: (bytes: number) => void = () => {},
  maxEntries = MAX_ENTRIES,
): Promise<string> {
  const tree = join(dir, 'out');
  await unpackBounded(archive, join(dir, 'out.tar'), { folder: tree, strip: 0, maxEntries }, tenant, onBytes);
  return tree;
}

/** By its first block: no head of gzip or zstd, and that of an entry, or the end. */
function isPlainTar(fd: number): boolean {
  const start = Buffer.alloc(512);
  readSync(fd, start, 0, start.length, 0);
  if (/^(?:1f8b|28b52ffd)/.test(start.toString('hex', 0, 4))) return false;
  return start.toString('latin1', 257, 262) === 'ustar' || start.every((byte) => byte === 0);
}

/** `strip`: leading folders of the archive that are left out. */
export async function unpackBounded(
  archive: Readable,
  file: string,
  { folder, strip, maxEntries = MAX_ENTRIES }: { folder: string; strip: number; maxEntries?: number },
  { plan, limits }: TenantLimits,
  onBytes: (bytes: number) => void = () => {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const fd = openSync(file, 'w+', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of archive) {
      const piece: unknown = chunk;
      if (!(piece instanceof Uint8Array)) continue;
      bytes += piece.length;
      onBytes(bytes);
      if (bytes > (limits.image_mib + 64) * 1_048_576)
        throw new RuntimeError('build_failed', `The build gave more than the ${limits.image_mib} MiB that are allowed. ${remedy(plan)}`);
      writeSync(fd, piece);
    }
    // The library decompresses what it can, and then the bytes that arrived bound nothing.
    if (!isPlainTar(fd)) throw new RuntimeError('build_failed', 'The result of the build is no plain tar, and was not taken: deploy again.');
  } finally {
    closeSync(fd);
  }
  let entries = 0;
  const folders = new Set(['.', '']);
  const isNew = (folder: string): boolean => !folders.has(folder) && Boolean(folders.add(folder));
  const count = (path: string, isFolder: boolean): boolean => {
    if (path.length > maxPath) return false;
    if (!isFolder || isNew(path)) entries += 1;
    for (let above = dirname(path); entries <= maxEntries && above !== '/' && isNew(above); above = dirname(above)) entries += 1;
    return entries <= maxEntries;
  };
  await extract({
    file,
    cwd: folder,
    strip,
    preserveOwner: false,
    noMtime: true,
    processUmask: 0o022,
    strict: false,
    filter: (path, entry) => {
      if (!('type' in entry)) return false;
      const isFolder = entry.type === 'Directory';
      return count(path.replace(/\/+$/, ''), isFolder) && (isFolder || entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile');
    },
  });
  await rm(file, { force: true });
  if (entries > maxEntries) throw new RuntimeError('build_failed', `The build gave more than ${maxEntries} files.`);
}
