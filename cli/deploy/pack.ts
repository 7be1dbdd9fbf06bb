// A project as a gzipped tar: the same bytes for the same files, without what does not belong to the source.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore'; // gitignore patterns, as git itself reads them
import { create } from 'tar';
import { CliError } from '../errors.ts';

/** Never part of a source: secrets, history, what an installer or a build makes again. `.svcignore` cannot bring these back. */
const ALWAYS = ['.git', '.svc', 'node_modules', '.env', '.env.*', '!.env.example'];
/** Left out unless `.svcignore` says otherwise. */
const USUALLY = [
  '.DS_Store',
  '*.log',
  '.venv',
  'venv',
  '__pycache__',
  '*.pyc',
  '.pytest_cache',
  '.mypy_cache',
  'coverage',
  '.idea',
  '.vscode',
  '*.swp',
  '.npmrc',
  '.pypirc',
  '.netrc',
  // The platform brings the SDK itself.
  'vendor/svc-sdk-*.tgz',
];

export interface Packed {
  /** Path of the archive. */
  archive: string;
  files: string[];
  /** Links and special files, which are not uploaded. */
  skipped: string[];
  bytes: number;
  sha256: string;
  remove(): Promise<void>;
}

export async function packProject(folder: string): Promise<Packed> {
  const { files, skipped } = await listSource(folder);
  if (files.length === 0) throw new CliError(`There is nothing to deploy in ${folder}.`);
  const scratch = await mkdtemp(join(tmpdir(), 'svc-deploy-'));
  const archive = join(scratch, 'source.tar.gz');
  const remove = () => rm(scratch, { recursive: true, force: true });
  try {
    // A fixed time: the same files make the same archive, whenever they were checked out.
    await create(
      { file: archive, cwd: folder, gzip: { level: 6 }, portable: true, noDirRecurse: true, mtime: new Date('2000-01-01T00:00:00Z') },
      files.map(notAnArchive),
    );
    const { size } = await stat(archive);
    return { archive, files, skipped, bytes: size, sha256: await sha256Of(archive), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** To the library "@x" means the entries of archive x. */
function notAnArchive(path: string): string {
  return path.startsWith('@') ? `./${path}` : path;
}

/** Paths of the project's files, relative, with forward slashes, sorted. */
export async function listSource(folder: string): Promise<{ files: string[]; skipped: string[] }> {
  const own = await readFile(join(folder, '.svcignore'), 'utf8').catch(() => '');
  const always = ignore().add(ALWAYS);
  const usual = ignore().add(USUALLY).add(own);
  const files: string[] = [];
  const skipped: string[] = [];
  await walk(folder, '', [always, usual], files, skipped);
  return { files: files.sort(), skipped: skipped.sort() };
}

async function walk(root: string, below: string, rules: readonly Ignore[], files: string[], skipped: string[]): Promise<void> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    const isFolder = entry.isDirectory();
    if (rules.some((rule) => rule.ignores(isFolder ? `${path}/` : path))) continue;
    if (isFolder) await walk(root, path, rules, files, skipped);
    else if (entry.isFile()) files.push(path);
    else skipped.push(path);
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
