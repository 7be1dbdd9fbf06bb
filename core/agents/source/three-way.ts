// Three-way merge of a project: what changed from `base` to `theirs` is brought into `ours`. What both sides
// changed differently is a conflict that a person decides. A renamed file is a deleted one and an added one.
import { tmpdir } from 'node:os';
import { mergeText } from '#drivers/scm/merge-file.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { defaultSourceLimits, type SourceLimits } from './limits.ts';
import type { ProjectFile } from './pack.ts';

export interface MergeConflict {
  path: string;
  /**
   * `content`: both sides changed the same lines, which are marked in the merged file. `binary`: both sides
   * changed a file whose lines cannot be merged; ours stays. `both_added`: the two new files differ; ours and
   * theirs are marked, of binary ones ours stays. `deleted_by_us`: we deleted what they changed; it stays
   * deleted. `deleted_by_them`: they deleted what we changed; ours stays. `path`: a file on one side is a
   * folder on the other; ours stays.
   */
  kind: 'content' | 'binary' | 'both_added' | 'deleted_by_us' | 'deleted_by_them' | 'path';
}

export interface Merge {
  /** Ordered by path. With conflicts: what could be merged, and ours of the rest. */
  files: ProjectFile[];
  /** Ordered by path; empty: the merge is clean. */
  conflicts: MergeConflict[];
}

export interface MergeOptions {
  /** Folder for temporary files. */
  scratch?: string;
  /** Beside the marks of a conflict. */
  labels?: { ours: string; theirs: string };
  /** Of each side. */
  limits?: Pick<SourceLimits, 'entries' | 'unpackedBytes'>;
}

/** A longer text is not merged by lines: both sides' changes of it are a conflict `binary`. */
const maxTextBytes = 2 * 1024 * 1024;
const mergesAtOnce = 4;

interface Versions {
  path: string;
  base: ProjectFile | undefined;
  ours: ProjectFile | undefined;
  theirs: ProjectFile | undefined;
}

interface Merged {
  file?: ProjectFile | undefined;
  conflict?: MergeConflict['kind'];
}

/**
 * The same input gives the same output. @throws BadRequest source_too_many_files, source_too_large_unpacked,
 * source_duplicate_path; ScmError scm_failed
 */
export async function mergeFiles(
  base: readonly ProjectFile[],
  ours: readonly ProjectFile[],
  theirs: readonly ProjectFile[],
  { scratch = tmpdir(), labels = { ours: 'ours', theirs: 'theirs' }, limits = defaultSourceLimits }: MergeOptions = {},
): Promise<Merge> {
  const sides = { base: byPath(base, limits), ours: byPath(ours, limits), theirs: byPath(theirs, limits) };
  const paths = [...new Set([...sides.base.keys(), ...sides.ours.keys(), ...sides.theirs.keys()])].toSorted();
  const merged = new Map<string, Merged>();
  const next = paths.values();
  const work = async (): Promise<void> => {
    for (const path of next) {
      const versions = { path, base: sides.base.get(path), ours: sides.ours.get(path), theirs: sides.theirs.get(path) };
      merged.set(path, await mergeOne(versions, scratch, labels));
    }
  };
  await Promise.all(Array.from({ length: mergesAtOnce }, work));
  return withoutClashes(paths, merged, sides.ours);
}

async function mergeOne(versions: Versions, scratch: string, labels: { ours: string; theirs: string }): Promise<Merged> {
  const { base, ours, theirs } = versions;
  if (same(ours, theirs) || same(base, theirs)) return { file: ours };
  if (same(base, ours)) return { file: theirs };
  if (!ours) return { conflict: 'deleted_by_us' };
  if (!theirs) return { file: ours, conflict: 'deleted_by_them' };
  const executable = mergedBit(base, ours, theirs);
  const [ourBytes, theirBytes, baseBytes] = [bytesOf(ours), bytesOf(theirs), base ? bytesOf(base) : undefined];
  if (ourBytes.equals(theirBytes) || baseBytes?.equals(theirBytes)) return { file: { ...ours, executable } };
  if (baseBytes?.equals(ourBytes)) return { file: { ...theirs, executable } };
  const kind = base ? 'content' : 'both_added';
  if ([ourBytes, theirBytes, baseBytes].some((bytes) => bytes !== undefined && isBinary(bytes))) {
    return { file: ours, conflict: base ? 'binary' : 'both_added' };
  }
  const { text, conflicts } = await mergeText(scratch, { base: baseBytes ?? Buffer.alloc(0), ours: ourBytes, theirs: theirBytes }, labels);
  return { file: { ...ours, content: text, executable }, ...(conflicts > 0 && { conflict: kind }) };
}

/** A file and a folder of one name cannot be unpacked together: what they added gives way to what we have. */
function withoutClashes(paths: readonly string[], merged: ReadonlyMap<string, Merged>, ours: ReadonlyMap<string, ProjectFile>): Merge {
  const folders = new Set<string>();
  const present = paths.filter((path) => merged.get(path)?.file !== undefined);
  for (const path of present) for (const folder of foldersAbove(path)) folders.add(folder);
  const files: ProjectFile[] = [];
  const conflicts: MergeConflict[] = [];
  const there = new Set(present);
  for (const path of paths) {
    const { file, conflict } = merged.get(path) ?? {};
    const clashes = file !== undefined && (folders.has(path) || foldersAbove(path).some((folder) => there.has(folder)));
    if (clashes) conflicts.push({ path, kind: 'path' });
    else if (conflict) conflicts.push({ path, kind: conflict });
    if (file && (!clashes || ours.has(path))) files.push(file);
  }
  return { files, conflicts };
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/**
 * Of two values one is the base's, unless the file is new: then it is executable where either side made it
 * so.
 */
function mergedBit(base: ProjectFile | undefined, ours: ProjectFile, theirs: ProjectFile): boolean {
  const [our, their] = [ours.executable === true, theirs.executable === true];
  if (!base) return our || their;
  return our === (base.executable === true) ? their : our;
}

function same(one: ProjectFile | undefined, other: ProjectFile | undefined): boolean {
  if (!one || !other) return one === other;
  return (one.executable === true) === (other.executable === true) && bytesOf(one).equals(bytesOf(other));
}

function bytesOf({ content }: ProjectFile): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function isBinary(bytes: Buffer): boolean {
  return bytes.length > maxTextBytes || bytes.includes(0);
}

function byPath(files: readonly ProjectFile[], limits: Pick<SourceLimits, 'entries' | 'unpackedBytes'>): Map<string, ProjectFile> {
  if (files.length > limits.entries)
    throw new BadRequest('source_too_many_files', `A project of more than ${limits.entries} files cannot be merged`, { limit: limits.entries });
  const filesByPath = new Map<string, ProjectFile>();
  let bytes = 0;
  for (const file of files) {
    if (filesByPath.has(file.path)) throw new BadRequest('source_duplicate_path', `${file.path} is in the project twice`, { path: file.path });
    bytes += bytesOf(file).length;
    filesByPath.set(file.path, file);
  }
  if (bytes > limits.unpackedBytes)
    throw new BadRequest('source_too_large_unpacked', `A project of more than ${limits.unpackedBytes} bytes cannot be merged`, {
      limit_bytes: limits.unpackedBytes,
    });
  return filesByPath;
}
