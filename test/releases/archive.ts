// A fixture's one file: a tar of folders and texts, packed. The same content gives the same bytes.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { create, extract } from 'tar';

export async function packFolder(folder: string): Promise<Buffer> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
  const tar = await buffer(create({ cwd: folder, portable: true, noMtime: true, noPax: true }, files));
  return zstdCompressSync(tar, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}

export async function unpackInto(folder: string, file: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unpacking = extract({ cwd: folder });
  const done = new Promise<void>((resolve, reject) => {
    unpacking.on('close', resolve);
    unpacking.on('error', reject);
  });
  unpacking.end(zstdDecompressSync(await readFile(file)));
  await done;
}

export async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
