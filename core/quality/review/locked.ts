// The exact versions that lock files name.
import type { SourceFile } from './project.ts';

export interface LockedPackage {
  ecosystem: 'npm' | 'PyPI' | 'crates.io' | 'Go';
  name: string;
  version: string;
  path: string;
  line: number;
}

const base = (path: string): string => path.split('/').at(-1) ?? path;

/** Lock files of the languages that agents are built in, by the name of the file. */
const READERS: Record<string, (file: SourceFile) => LockedPackage[]> = {
  'package-lock.json': npm,
  'npm-shrinkwrap.json': npm,
  'requirements.txt': requirements,
  'uv.lock': (file) => toml(file, 'PyPI'),
  'poetry.lock': (file) => toml(file, 'PyPI'),
  'Cargo.lock': (file) => toml(file, 'crates.io'),
  'go.sum': goSum,
};

export const LOCK_FILES: readonly string[] = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'bun.lock',
  'bun.lockb',
  'pnpm-lock.yaml',
  'yarn.lock',
  'uv.lock',
  'poetry.lock',
  'Cargo.lock',
  'go.sum',
];
const maxPackages = 20_000;

export function lockedPackages(files: readonly SourceFile[]): LockedPackage[] {
  return files.flatMap((file) => READERS[base(file.path)]?.(file) ?? []).slice(0, maxPackages);
}

/** `"node_modules/a/node_modules/@b/c": {` and, in its object, `"version": "1.2.3"`. */
function npm(file: SourceFile): LockedPackage[] {
  const packages: LockedPackage[] = [];
  let name: { text: string; line: number } | undefined;
  for (const [at, line] of file.lines.entries()) {
    const opened = /^\s{2,8}"(?:[^"]*\/)?node_modules\/((?:@[^"/]+\/)?[^"/]+)":\s*\{/.exec(line)?.[1];
    if (opened !== undefined) name = { text: opened, line: at + 1 };
    const version = /^\s{4,12}"version":\s*"([^"]{1,100})"/.exec(line)?.[1];
    if (version === undefined || !name) continue;
    packages.push({ ecosystem: 'npm', name: name.text, version, path: file.path, line: name.line });
    name = undefined;
  }
  return packages;
}

function requirements(file: SourceFile): LockedPackage[] {
  return file.lines.flatMap((line, at) => {
    const [, name, version] = /^\s*([A-Za-z0-9][A-Za-z0-9._-]{0,100})(?:\[[^\]]{0,100}\])?\s*==\s*([^\s;#\\]{1,100})/.exec(line) ?? [];
    if (name === undefined || version === undefined) return [];
    return [{ ecosystem: 'PyPI', name: name.toLowerCase().replaceAll(/[._]/g, '-'), version, path: file.path, line: at + 1 }];
  });
}

function toml(file: SourceFile, ecosystem: 'PyPI' | 'crates.io'): LockedPackage[] {
  return file.lines.flatMap((line, at) => {
    const name = /^name = "([^"]{1,200})"$/.exec(line)?.[1];
    const version = /^version = "([^"]{1,100})"$/.exec(file.lines[at + 1] ?? '')?.[1];
    return name === undefined || version === undefined
      ? []
      : [{ ecosystem, name: ecosystem === 'PyPI' ? name.toLowerCase().replaceAll(/[._]/g, '-') : name, version, path: file.path, line: at + 1 }];
  });
}

function goSum(file: SourceFile): LockedPackage[] {
  return file.lines.flatMap((line, at) => {
    const [, name, version] = /^(\S{1,300}) v(\S{1,100}) h1:/.exec(line) ?? [];
    return name === undefined || version === undefined ? [] : [{ ecosystem: 'Go', name, version, path: file.path, line: at + 1 }];
  });
}
