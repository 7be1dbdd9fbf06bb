// A project that the platform wrote, as the archive that an upload would be: the same files give the same
// bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { create } from 'tar'; // node-tar, the implementation npm itself packs with

export interface ProjectFile {
  /** Relative, forward slashes, no `..`. */
  path: string;
  content: string | Uint8Array;
  executable?: boolean;
}

export function textOf({ content }: Pick<ProjectFile, 'content'>): string {
  return typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
}

/** Writes the files below `folder`, which is made, and resolves with them as a gzipped tar. */
export async function packProject(folder: string, files: readonly ProjectFile[]): Promise<AsyncIterable<Uint8Array>> {
  for (const { path, content, executable } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode: executable === true ? 0o755 : 0o644 });
  }
  const paths = files.map(({ path }) => path).toSorted();
  return create({ cwd: folder, gzip: true, portable: true, noMtime: true }, paths);
}
