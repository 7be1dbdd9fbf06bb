// The files of a stored source, which was checked when it was taken in.
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ByteReader } from './byte-reader.ts';
import { defaultSourceLimits } from './limits.ts';
import type { ProjectFile } from './pack.ts';
import { tarEntries } from './tar-entries.ts';

/**
 * Ordered by path. Of a file larger than `maxFileBytes` the content is empty and `large` is set. @throws
 * where the archive is damaged
 */
export async function readFiles(source: Readable, maxFileBytes = defaultSourceLimits.unpackedBytes): Promise<(ProjectFile & { large?: true })[]> {
  const files: (ProjectFile & { large?: true })[] = [];
  const plain = source.pipe(createGunzip());
  source.once('error', (error) => plain.destroy(error));
  let left = defaultSourceLimits.unpackedBytes;
  try {
    for await (const { path, kind, size, executable, body } of tarEntries(new ByteReader(plain))) {
      const keeps = kind === 'file' && size <= maxFileBytes;
      left -= keeps ? size : 0;
      if (left < 0 || files.length >= defaultSourceLimits.entries) throw new Error('the stored source is larger than a project may be');
      // Filled as it comes: joining the pieces of a large file at its end would be one long step.
      const content = Buffer.alloc(keeps ? size : 0);
      let at = 0;
      for await (const piece of body) if (keeps) at += piece.copy(content, at);
      if (kind !== 'file') continue;
      files.push({ path: path.replace(/^(?:\.\/)+/, ''), content, executable, ...(!keeps && { large: true as const }) });
    }
  } finally {
    source.destroy();
    plain.destroy();
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
