// A folder as one content: a tar archive. It is read while others may write to it, and read again when they
// did.
import { createHash } from 'node:crypto';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { create, extract } from 'tar';
import { errorCode } from '../files.ts';
import type { ContentWriter, StoredStream } from './contents.ts';
import { messageOf } from './report.ts';

const ATTEMPTS = 12;

/** Something writes to the folder all the time. */
class FolderBusy extends Error {}

/** Files of a folder, as paths below it, and a stamp that changes when one of them does. */
export interface FolderState {
  files: string[];
  /** Those above come before those in them. */
  folders: string[];
  stamp: string;
}

/** @param wanted by the path below the folder; of folders too */
export async function folderState(folder: string, wanted: (path: string) => boolean = () => true): Promise<FolderState> {
  const hash = createHash('sha256');
  const files: string[] = [];
  const folders: string[] = [];
  const look = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (!wanted(path)) continue;
      if (entry.isDirectory()) {
        folders.push(path);
        hash.update(`${path}/\n`);
        await look(path);
      } else if (entry.isFile()) {
        const { size, mtimeNs, ino } = await stat(join(folder, path), { bigint: true });
        files.push(path);
        hash.update(`${path} ${size} ${mtimeNs} ${ino}\n`);
      }
    }
  };
  await look('');
  return { files, folders, stamp: hash.digest('hex') };
}

/**
 * What the folder holds at one moment: nothing in it changed from before its first byte was read until after
 * the last. Undefined: it does not exist any longer.
 * @throws FolderBusy after several attempts
 */
export async function storeFolder(
  writer: ContentWriter,
  folder: string,
  options: { wanted?: (path: string) => boolean; known?: (stamp: string) => StoredStream | undefined },
): Promise<{ content: StoredStream; stamp: string } | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const before = await folderState(folder, options.wanted);
      const known = options.known?.(before.stamp);
      if (known && writer.has(known)) return { content: known, stamp: before.stamp };
      const content = await writer.write(archiveOf(folder, before));
      if ((await folderState(folder, options.wanted)).stamp === before.stamp) return { content, stamp: before.stamp };
    } catch (error) {
      if (!isGone(error)) throw error;
      if ((await stat(folder).catch(() => undefined)) === undefined) return undefined;
    }
    if (attempt === ATTEMPTS) throw new FolderBusy(`${folder} changed each time it was read. Run the backup again when less is written there.`);
    await delay(100 * attempt);
  }
}

export function archiveOf(folder: string, { folders, files }: FolderState): AsyncIterable<Buffer> {
  // "./": a name that begins with "@" would be an archive to include.
  const entries = [...folders, ...files].map((path) => `./${path}`);
  return create({ cwd: folder, noDirRecurse: true, portable: true }, entries) as AsyncIterable<Buffer>;
}

/** A file that was removed, or grew shorter, while it was read. */
export const isGone = (error: unknown): boolean =>
  ['ENOENT', 'EOF'].includes(errorCode(error) ?? '') || messageOf(error).includes('encountered unexpected EOF');

export function unlessBusy(error: unknown): undefined {
  if (!(error instanceof FolderBusy)) throw error;
}

/** Unpacks into a new folder. */
export async function restoreFolder(content: AsyncIterable<Buffer>, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await pipeline(Readable.from(content, { objectMode: false }), extract({ cwd: folder, strict: true, preserveOwner: false, noMtime: false }));
}
