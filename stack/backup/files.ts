// Single files of a backup.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ContentWriter } from './contents.ts';
import type { NamedContent } from './manifest.ts';

/** Read only where the last backup does not have it as it is. @throws ENOENT */
export async function storeFile(writer: ContentWriter, path: string, known: readonly NamedContent[]): Promise<NamedContent> {
  const { size, mtimeMs } = await stat(path);
  const stamp = `${size}:${Math.floor(mtimeMs)}`;
  const earlier = known.find((one) => one.name === path && one.stamp === stamp);
  if (earlier && writer.has(earlier)) return earlier;
  return { name: path, stamp, ...(await writer.write(createReadStream(path))) };
}

export async function writeContent(content: AsyncIterable<Buffer>, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await pipeline(content, createWriteStream(path, { mode: 0o644 }));
}
