// A project as a gzipped tar: the same bytes for the same files, without what does not belong to the source.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import ignore, { type Ignore } from 'ignore'; // gitignore patterns, as git itself reads them
import { create } from 'tar';
import { CliError } from '../errors.ts';
import { readProject } from '../project/read.ts';
import { rulesAbove, withRulesOf, anchored } from './ignored.ts';
import { refuseSecrets } from './secrets.ts';

/** The tool put it into the project, and the platform brings the SDK itself. */
const SDK_ARCHIVE = 'vendor/svc-sdk-*.tgz';
/** Never part of a source: secrets, history, what an installer or a build makes again. No ignore file can bring these back. */
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
  SDK_ARCHIVE,
];

/** Left out without a word: nobody expects them in an upload. */
const UNSAID = ignore().add(['.git', '.svc', 'node_modules', '__pycache__', '*.pyc', '.DS_Store', '*.swp', SDK_ARCHIVE]);

export interface Source {
  /** Paths of the project's files, relative, with forward slashes, sorted. */
  files: string[];
  /** Links and special files, which are not uploaded. */
  skipped: string[];
  /** What ignore files and the platform leave out: the topmost paths, folders with a slash at their end. */
  ignored: string[];
}

export interface Packed extends Source {
  /** Path of the archive. */
  archive: string;
  bytes: number;
  sha256: string;
  remove(): Promise<void>;
}

/** @throws CliError that names what looks like a secret, unless that is allowed */
export async function packProject(folder: string, { allowSecrets = false }: { allowSecrets?: boolean } = {}): Promise<Packed> {
  const source = await listSource(folder);
  const { files } = source;
  if (files.length === 0) throw new CliError(`There is nothing to deploy in ${folder}.`);
  if (!allowSecrets) await refuseSecrets(folder, files);
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
    return { archive, ...source, bytes: size, sha256: await sha256Of(archive), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** To the library "@x" means the entries of archive x. */
function notAnArchive(path: string): string {
  return path.startsWith('@') ? `./${path}` : path;
}

/** Rules of git first, then `.svcignore`, which has the last word over all but secrets and history. */
export async function listSource(folder: string): Promise<Source> {
  const above = await rulesAbove(folder);
  const own = await readFile(join(folder, '.svcignore'), 'utf8').catch(() => '');
  const below = above.prefix.slice(0, -1);
  const last = [...(await builtFrontend(folder)), ...USUALLY, ...own.split(/\r?\n/)].join('\n');
  const walk: Walk = { root: folder, prefix: above.prefix, last: anchored(last, below), always: ignore().add(ALWAYS) };
  const source: Source = { files: [], skipped: [], ignored: [] };
  await look(walk, '', above.ignore, source);
  return { files: source.files.sort(), skipped: source.skipped.sort(), ignored: source.ignored.sort() };
}

/** Projects ignore what their build makes, and it is served: by a deploy where nothing builds it again, and by a dev box. */
async function builtFrontend(folder: string): Promise<string[]> {
  const frontend = (await readProject(folder).catch(() => undefined))?.manifest.frontend;
  return frontend === undefined ? [] : [`!/${posix.join(frontend.path, frontend.dist)}`];
}

interface Walk {
  root: string;
  prefix: string;
  /** Patterns that come after those of git. */
  last: readonly string[];
  always: Ignore;
}

async function look(walk: Walk, below: string, outer: Ignore, into: Source): Promise<void> {
  const folder = join(walk.root, below);
  const git = await withRulesOf(outer, folder, `${walk.prefix}${below}`.replace(/\/$/, ''));
  const rules = ignore({ ignorecase: false }).add(git).add(walk.last);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    const isFolder = entry.isDirectory();
    const marked = isFolder ? `${path}/` : path;
    if (walk.always.ignores(marked) || rules.ignores(`${walk.prefix}${marked}`)) {
      if (!UNSAID.ignores(marked)) into.ignored.push(marked);
    } else if (isFolder) await look(walk, path, git, into);
    else if (entry.isFile()) into.files.push(path);
    else into.skipped.push(path);
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
