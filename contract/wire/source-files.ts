// Which files of a folder are a project's source: what git's ignore files and `.svcignore` leave, without
// what the platform never takes. The tool asks before it packs a folder, and so does the page for a folder or
// an archive that is dropped on it.
import { withoutMark } from './byte-order-mark.ts';
import ignore, { type Ignore } from 'ignore'; // gitignore patterns, as git itself reads them
import type { Frontend } from './manifest.ts';

/** The tool put it into the project, and the platform brings the SDK itself. */
const SDK_ARCHIVE = 'vendor/svc-sdk-*.tgz';
/**
 * Never part of a source: secrets, history, what an installer or a build makes again. No ignore file can
 * bring these back.
 */
export const ALWAYS = ['.git', '.svc', 'node_modules', '.env', '.env.*', '!.env.example'];
/** Left out unless `.svcignore` says otherwise. */
export const USUALLY = [
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
const SILENTLY_IGNORED = ignore().add(['.git', '.svc', 'node_modules', '__pycache__', '*.pyc', '.DS_Store', '*.swp', SDK_ARCHIVE]);

/** A folder, wherever it is. Paths are relative, with forward slashes; '' is the folder itself. */
export interface SourceFolder {
  list(path: string): Promise<Iterable<SourceEntry>>;
  /**
   * Of a file; '' where there is none, and where a link stands in its place: git reads no rules through a
   * link.
   */
  text(path: string): Promise<string>;
}

interface SourceEntry {
  name: string;
  /** Links and special files are others. */
  kind: 'file' | 'folder' | 'other';
}

export interface Source {
  /** Paths of the project's files, relative, with forward slashes, sorted. */
  files: string[];
  /** Links and special files, which are not uploaded. */
  skipped: string[];
  /** What ignore files and the platform leave out: the topmost paths, folders with a slash at their end. */
  ignored: string[];
}

/** Git's rules above a folder. */
export interface GitRules {
  /** Over paths from the top of the work tree. */
  ignore: Ignore;
  /** The project's folder from there: '' or `agents/kit/`. */
  prefix: string;
}

export interface SourceRules {
  above: GitRules;
  /** What `.svcignore` says. */
  own: string;
  /** Where the project's build puts its frontend. */
  frontend: string | undefined;
  /** `ignored` names also what nobody expects in an upload, such as node_modules. */
  silent?: boolean;
}

/**
 * Of every file in an archive of a project: the same files make the same archive, whenever they were checked
 * out.
 */
export const ARCHIVED_AT = new Date('2000-01-01T00:00:00Z');

export const noRules = (): Ignore => ignore({ ignorecase: false });

/** Rules of git first, then `.svcignore`, which has the last word over all but secrets and history. */
export async function sourceFiles(folder: SourceFolder, { above, own, frontend, silent = false }: SourceRules): Promise<Source> {
  // Projects ignore what their build makes, and it is served: by a deploy where nothing builds it again, and
  // by a dev box.
  const last = [...(frontend === undefined ? [] : [`!/${frontend}`]), ...USUALLY, ...own.split(/\r?\n/)].join('\n');
  const walk: Walk = { folder, prefix: above.prefix, last: anchored(last, above.prefix.slice(0, -1)), always: ignore().add(ALWAYS), silent };
  const source: Source = { files: [], skipped: [], ignored: [] };
  await look(walk, '', above.ignore, source);
  return { files: source.files.sort(), skipped: source.skipped.sort(), ignored: source.ignored.sort() };
}

/** Where the build of a project puts what it serves, from the project's folder. */
export function builtFrontend({ path, dist }: Pick<Frontend, 'path' | 'dist'>): string {
  const steps: string[] = [];
  for (const step of `${path}/${dist}`.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

interface Walk {
  folder: SourceFolder;
  prefix: string;
  /** Patterns that come after those of git. */
  last: readonly string[];
  always: Ignore;
  silent: boolean;
}

async function look(walk: Walk, below: string, outer: Ignore, into: Source): Promise<void> {
  const text = await walk.folder.text(below === '' ? '.gitignore' : `${below}/.gitignore`);
  const git = text === '' ? outer : noRules().add(outer).add(anchored(text, `${walk.prefix}${below}`.replace(/\/$/, ''))); // prettier-ignore
  const rules = noRules().add(git).add(walk.last);
  for (const { name, kind } of await walk.folder.list(below)) {
    const path = below === '' ? name : `${below}/${name}`;
    const marked = kind === 'folder' ? `${path}/` : path;
    if (walk.always.ignores(marked) || rules.ignores(`${walk.prefix}${marked}`)) {
      if (walk.silent || !SILENTLY_IGNORED.ignores(marked)) into.ignored.push(marked);
    } else if (kind === 'folder') await look(walk, path, git, into);
    else if (kind === 'file') into.files.push(path);
    else into.skipped.push(path);
  }
}

/** The patterns of a file in a folder, as one at the top would have them. */
export function anchored(text: string, below: string): string[] {
  const lines = withoutMark(text).split(/\r?\n/);
  if (below === '') return lines;
  const folder = escaped(below);
  return lines.flatMap((line) => {
    const [, not = '', pattern = ''] = /^(!?)(.*)$/.exec(line.replace(/(?<!\\) +$/, '')) ?? [];
    if (pattern === '' || pattern === '/' || line.startsWith('#')) return [];
    const isOfThisFolder = pattern.slice(0, -1).includes('/');
    return [`${not}/${folder}/${isOfThisFolder ? '' : '**/'}${pattern.replace(/^\//, '')}`];
  });
}

const escaped = (path: string): string => path.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`);
