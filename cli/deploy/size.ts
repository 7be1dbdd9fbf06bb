// Whether a project is too large to upload, before it is packed: how much a file shrinks is read off samples.
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { MAX_SOURCE_BYTES, MAX_SOURCE_ENTRIES, MAX_UNPACKED_SOURCE_BYTES } from '#contract/wire/limits.ts';
import { CliError } from '../lib/errors.ts';
import { table } from '../lib/output.ts';
import { size } from '../lib/size.ts';

export interface SourceFile {
  path: string;
  bytes: number;
}

const SAMPLE_BYTES = 64 * 1024;
const SAMPLES = 4;
const NAMED = 5;

/** With their sizes, in the order of their paths. */
export function sizesOf(folder: string, paths: readonly string[]): Promise<SourceFile[]> {
  return Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(join(folder, path))).size })));
}

/** Why the platform would refuse them; undefined: it would not. */
export async function tooLarge(folder: string, files: readonly SourceFile[]): Promise<string | undefined> {
  if (files.length > MAX_SOURCE_ENTRIES) return `The project has ${files.length} files, and an upload has ${MAX_SOURCE_ENTRIES} at most.`;
  const bytes = total(files);
  const packed = bytes > MAX_SOURCE_BYTES && bytes <= MAX_UNPACKED_SOURCE_BYTES ? await packedBytes(folder, files) : 0;
  if (bytes <= MAX_UNPACKED_SOURCE_BYTES && packed <= MAX_SOURCE_BYTES) return undefined;
  const limit = `an upload has ${size(MAX_UNPACKED_SOURCE_BYTES)} at most, ${size(MAX_SOURCE_BYTES)} packed`;
  return `The project has ${size(bytes)}${packed === 0 ? '' : `, about ${size(packed)} packed`}: ${limit}. The largest files:\n${largest(files)}\nName what the agent does not need in .svcignore: svc deploy --dry-run lists all files.`;
}

/** @throws CliError that names the largest files */
export async function refuseTooLarge(folder: string, paths: readonly string[]): Promise<void> {
  const why = await tooLarge(folder, await sizesOf(folder, paths));
  if (why !== undefined) throw new CliError(`Nothing was uploaded. ${why}`);
}

export function total(files: readonly SourceFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function largest(files: readonly SourceFile[]): string {
  const first = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, NAMED);
  return table(['', ''], first.map(({ path, bytes }) => [`  ${size(bytes)}`, path])).slice(1).join('\n'); // prettier-ignore
}

async function packedBytes(folder: string, files: readonly SourceFile[]): Promise<number> {
  let sum = 0;
  for (const { path, bytes } of files) sum += bytes * (await shareAfter(join(folder, path), bytes));
  return Math.round(sum);
}

/** What gzip leaves of a file, as a share; of a large one by samples. */
async function shareAfter(path: string, bytes: number): Promise<number> {
  if (bytes === 0) return 0;
  const file = await open(path);
  try {
    const places = bytes <= SAMPLE_BYTES * SAMPLES ? [0] : Array.from({ length: SAMPLES }, (_, i) => Math.floor(((bytes - SAMPLE_BYTES) * i) / (SAMPLES - 1)));
    const length = places.length === 1 ? bytes : SAMPLE_BYTES;
    const samples = await Promise.all(places.map(async (position) => (await file.read({ buffer: Buffer.alloc(length), position })).buffer));
    const whole = Buffer.concat(samples);
    return (await promisify(gzip)(whole)).length / whole.length;
  } finally {
    await file.close();
  }
}
