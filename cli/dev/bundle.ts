// The box's half of `svc dev` as files to be copied there: one bundle, and the Python SDK's sources beside
// it, laid out as they are here.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Present only in the published package. */
const BUILT = join(ROOT, 'dist/box.mjs');
export const BOX_PROGRAM = 'dist/box.mjs';
const PYTHON = ['sdk/python/pyproject.toml', 'sdk/python/src'];

export interface Bundle {
  /** Of all files: another version of the tool is copied again. */
  id: string;
  files: { path: string; content: Buffer }[];
}

export async function boxBundle(): Promise<Bundle> {
  const program = existsSync(BUILT) ? await readFile(BUILT) : await buildProgram();
  const files = [{ path: BOX_PROGRAM, content: program }, { path: 'cli/bin.mjs', content: Buffer.from('') }, ...(await pythonSdk())];
  const hash = createHash('sha256');
  for (const { path, content } of files) hash.update(path).update(content);
  return { id: hash.digest('hex').slice(0, 16), files };
}

async function buildProgram(): Promise<Buffer> {
  const { bundleBox } = await import('../package/box.ts');
  return (await bundleBox()).program;
}

async function pythonSdk(): Promise<Bundle['files']> {
  const files: Bundle['files'] = [];
  for (const path of PYTHON) {
    const full = join(ROOT, path);
    const names = path.endsWith('.toml') ? [full] : (await readdir(full, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name)); // prettier-ignore
    for (const name of names.filter((one) => !/__pycache__|\.egg-info|\.pyc$/.test(one)).toSorted())
      files.push({ path: relative(ROOT, name), content: await readFile(name) });
  }
  return files;
}
