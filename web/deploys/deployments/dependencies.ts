// Which packages a project is built of, as far as its files say so; two states of them compared.

/** Files that are looked at, the surest first: a lock file says what is installed. */
export const DEPENDENCY_FILES = ['package-lock.json', 'package.json', 'uv.lock', 'requirements.txt'] as const;
export type DependencyFile = (typeof DEPENDENCY_FILES)[number];

export interface DependencyChange {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/** Of the two files' texts; undefined where the project does not have one. */
export function dependencyChanges(file: DependencyFile, before: string | undefined, after: string | undefined): DependencyChange[] {
  const [was, is] = [dependenciesIn(file, before), dependenciesIn(file, after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => was.get(name) !== is.get(name))
    .toSorted()
    .map((name) => ({ name, before: was.get(name), after: is.get(name) }));
}

function dependenciesIn(file: DependencyFile, text = ''): Map<string, string> {
  if (file === 'requirements.txt') return requirements(text);
  if (file === 'uv.lock') return uvLock(text);
  const json = objectOf(parsed(text));
  return file === 'package-lock.json' ? lock(json) : manifest(json);
}

function manifest(json: Record<string, unknown>): Map<string, string> {
  const all = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'].flatMap((part) => Object.entries(objectOf(json[part])));
  return new Map(all.toReversed().flatMap(([name, version]) => (typeof version === 'string' ? [[name, version] as const] : [])));
}

/** Lock files of npm, versions 2 and 3. */
function lock(json: Record<string, unknown>): Map<string, string> {
  const packages = Object.entries(objectOf(json.packages)).flatMap(([place, of]) => {
    const name = place.split('node_modules/').at(-1);
    const { version } = objectOf(of);
    return place !== '' && name && typeof version === 'string' ? [[name, version] as const] : [];
  });
  const versions = new Map<string, Set<string>>();
  for (const [name, version] of packages) versions.set(name, (versions.get(name) ?? new Set()).add(version));
  return new Map([...versions].map(([name, all]) => [name, [...all].toSorted().join(', ')]));
}

function requirements(text: string): Map<string, string> {
  const lines = text.split('\n').map((line) => line.replace(/(?:^|\s)#.*$/, '').trim());
  return new Map(
    lines.flatMap((line) => {
      const [, name, rest = ''] = /^([A-Za-z0-9][\w.-]*(?:\[[\w, .-]*\])?)\s*(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name.toLowerCase().replaceAll('_', '-'), rest.replace(/\s*\\$/, '') || 'any'] as const];
    }),
  );
}

function uvLock(text: string): Map<string, string> {
  return new Map(
    text.split('[[package]]').flatMap((part) => {
      const name = /^\s*name = "([^"\n]+)"/.exec(part)?.[1];
      const version = /^version = "([^"\n]+)"/m.exec(part)?.[1];
      return name === undefined || version === undefined ? [] : [[name, version] as const];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {});
