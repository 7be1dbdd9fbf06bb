// Which Python or Node an agent runs on: what svc.yaml says, else the project's own files, and which of them
// are read. semver and pep440 are what npm's and pip's own rules for version ranges are kept in; smol-toml
// reads pyproject.toml.
import { withoutMark } from './byte-order-mark.ts';
import { satisfies as satisfiesPep440, validRange as isPep440 } from '@renovatebot/pep440';
import { satisfies, validRange } from 'semver';
import { parse } from 'smol-toml';

/** The first is the default. */
export const PYTHONS = ['3.11', '3.12', '3.13', '3.14'] as const;
/** The first is the default, and the oldest that the SDK runs on. */
export const NODES = ['24', '26'] as const;

/** Of the base image; the others are of npm packages, which the runtime host knows by their hash. */
export const NODE_RELEASES: Readonly<Record<(typeof NODES)[number], string>> = { '24': '24.21.0', '26': '26.12.1' };

/**
 * What a range is asked about: the base image has Debian's Python 3.11, of the others uv brings the newest.
 */
export const PYTHON_RELEASES: Readonly<Record<(typeof PYTHONS)[number], string>> = {
  '3.11': '3.11.2',
  '3.12': '3.12.99',
  '3.13': '3.13.99',
  '3.14': '3.14.99',
};

/** Of which some file says a version, beside svc.yaml. */
const VERSION_FILES = ['pyproject.toml', '.python-version', 'package.json', '.nvmrc', '.node-version'] as const;
/** A longer one says nothing about versions. */
const MAX_VERSION_FILE_BYTES = 262_144;
const MAX_RANGE_LENGTH = 200;

/** Text of one of VERSION_FILES; undefined where the project has none. */
export type ReadVersionFile = (name: (typeof VERSION_FILES)[number]) => string | undefined;

/** Whether the file of an archive is one to read. */
export function isVersionFile({ path, size }: { path: string; size: number }): boolean {
  return VERSION_FILES.some((name) => name === path) && size <= MAX_VERSION_FILE_BYTES;
}

/** Of node:fs/promises. */
interface Files {
  stat(path: string): Promise<{ isFile(): boolean; size: number }>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
}

/** Those of a project's folder. */
export async function versionFilesIn(folder: string, { stat, readFile }: Files): Promise<ReadVersionFile> {
  const texts = new Map<string, string>();
  for (const path of VERSION_FILES) {
    const file = `${folder}/${path}`;
    const about = await stat(file).catch(() => undefined);
    if (about?.isFile() && isVersionFile({ path, size: about.size })) texts.set(path, await readFile(file, 'utf8'));
  }
  return (name) => texts.get(name);
}

export class LanguageVersionError extends Error {
  /** Where it is to be corrected. */
  readonly file: 'svc.yaml' | (typeof VERSION_FILES)[number];
  constructor(file: LanguageVersionError['file'], message: string) {
    super(`${file}: ${message}`);
    this.name = 'LanguageVersionError';
    this.file = file;
  }
}

interface Wish {
  file: LanguageVersionError['file'];
  text: string;
}

interface VersionRequest {
  python?: string | undefined;
  node?: string | undefined;
}

/** Undefined: the default, or a language without a choice. @throws LanguageVersionError */
export function languageVersion(language: string, { python, node }: VersionRequest, files: ReadVersionFile): string | undefined {
  const read: ReadVersionFile = (name) => {
    const text = files(name);
    return text === undefined ? undefined : withoutMark(text);
  };
  const scripts = language === 'typescript' || language === 'javascript';
  if (python !== undefined && language !== 'python') throw misplaced('python', 'Python', language);
  if (node !== undefined && !scripts) throw misplaced('node', 'TypeScript and JavaScript', language);
  if (language === 'python') return pythonVersion(python, read);
  return scripts ? nodeVersion(node, read) : undefined;
}

const misplaced = (key: string, of: string, language: string): LanguageVersionError =>
  new LanguageVersionError('svc.yaml', `${key}: is for projects in ${of}, and this one is in ${language}: remove it`);

function pythonVersion(asked: string | undefined, read: ReadVersionFile): string | undefined {
  const range = requiresPython(read('pyproject.toml'));
  const suits = (version: (typeof PYTHONS)[number]): boolean => range === undefined || satisfiesPep440(PYTHON_RELEASES[version], range.text);
  const wish = asked === undefined ? pinnedPython(read('.python-version')) : { file: 'svc.yaml' as const, text: asked };
  return chosen('Python', PYTHONS, suits, wish, range);
}

function nodeVersion(asked: string | undefined, read: ReadVersionFile): string | undefined {
  const range = enginesNode(read('package.json'));
  const suits = (version: (typeof NODES)[number]): boolean => range === undefined || satisfies(NODE_RELEASES[version], range.text);
  const wish = asked === undefined ? (pinnedNode('.nvmrc', read) ?? pinnedNode('.node-version', read)) : { file: 'svc.yaml' as const, text: asked };
  return chosen('Node', NODES, suits, wish, range);
}

function chosen<V extends string>(
  name: string,
  known: readonly [V, ...V[]],
  suits: (version: V) => boolean,
  wish: Wish | undefined,
  range: Wish | undefined,
): V | undefined {
  const possible = `agents run on ${name} ${listed(known)}`;
  if (wish === undefined) {
    const fitting = known.find(suits);
    if (fitting === undefined && range) throw new LanguageVersionError(range.file, `asks for ${name} ${range.text}, and ${possible}: change the range`);
    return fitting === known[0] ? undefined : fitting;
  }
  const version = known.find((one) => one === wish.text);
  if (version === undefined) throw new LanguageVersionError(wish.file, `asks for ${name} ${wish.text}, and ${possible}: choose one of them`);
  if (!suits(version) && range)
    throw new LanguageVersionError(wish.file, `asks for ${name} ${wish.text}, and ${range.file} for ${range.text}: make them agree`);
  return version === known[0] ? undefined : version;
}

const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** `requires-python` of pyproject.toml. */
function requiresPython(text: string | undefined): Wish | undefined {
  if (text === undefined) return undefined;
  let project: unknown;
  try {
    ({ project } = parse(text));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'no TOML';
    throw new LanguageVersionError('pyproject.toml', `cannot be read: ${reason}`);
  }
  const range = field(project, 'requires-python');
  if (range === undefined) return undefined;
  if (range.length > MAX_RANGE_LENGTH || !isPep440(range))
    throw new LanguageVersionError('pyproject.toml', `requires-python is no range of versions: write for example ">=3.12" ("${range.slice(0, 50)}")`);
  return { file: 'pyproject.toml', text: range };
}

/** As pyenv and uv write it: 3.12, 3.12.4, cpython-3.12; of a patch release its minor version counts. */
function pinnedPython(text: string | undefined): Wish | undefined {
  const line = firstLine(text);
  if (line === undefined) return undefined;
  const minor = /^(?:cpython[-@]|python)?(\d+\.\d+)(?:\.\d+)?$/.exec(line)?.[1];
  if (minor !== undefined) return { file: '.python-version', text: minor };
  throw new LanguageVersionError('.python-version', `"${line.slice(0, 50)}" is no version of Python: write for example 3.12, or set python in svc.yaml`);
}

/** `engines.node` of package.json. A file that cannot be read is the build's to report. */
function enginesNode(text: string | undefined): Wish | undefined {
  if (text === undefined) return undefined;
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return undefined;
  }
  const range = field(Object(manifest)['engines'], 'node');
  if (range === undefined) return undefined;
  if (range.length > MAX_RANGE_LENGTH || validRange(range) === null)
    throw new LanguageVersionError('package.json', `engines.node is no range of versions: write for example ">=24" ("${range.slice(0, 50)}")`);
  return { file: 'package.json', text: range };
}

/** As nvm has them: a version, or a name of a line of releases. */
const LINES: Readonly<Record<string, string>> = { 'lts/jod': '22', 'lts/krypton': '24' };
const ANY_LINE = new Set(['node', 'stable', 'lts/*', 'lts']);

function pinnedNode(file: '.nvmrc' | '.node-version', read: ReadVersionFile): Wish | undefined {
  const line = firstLine(read(file));
  if (line === undefined || ANY_LINE.has(line)) return undefined;
  const major = LINES[line] ?? /^v?(\d+)(?:\.\d+){0,2}$/.exec(line)?.[1];
  if (major !== undefined) return { file, text: major };
  throw new LanguageVersionError(file, `"${line.slice(0, 50)}" is no version of Node: write for example 26, or set node in svc.yaml`);
}

function firstLine(text: string | undefined): string | undefined {
  const lines = (text ?? '').split('\n').map((line) => line.replace(/#.*$/, '').trim());
  return lines.find((line) => line !== '');
}

function field(value: unknown, name: string): string | undefined {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}
