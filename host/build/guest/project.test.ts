import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { explain } from './bundle.ts';
import { withoutSdk } from './install.ts';
import { copyWithNeeds, installedPackages, unbundled } from './native.ts';
import { cacheKey, findEntry, readManifest, runtimeDependencies } from './project.ts';

const dirs: string[] = [];
afterEach(() => dirs.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })));

function project(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-project-'));
  dirs.push(dir);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}
const keyOf = (files: Record<string, string>, salt = 's'): string | null => {
  const dir = project(files);
  return cacheKey(dir, readManifest(dir), salt);
};
const json = JSON.stringify;

test('the entry module is found as it is written; nothing outside of the project', () => {
  const dir = project({ 'agent.ts': '', 'src/deep.mts': '', 'pkg/index.ts': '' });
  expect(findEntry(dir, 'agent:A')).toEqual({ file: 'agent.ts', className: 'A' });
  expect(findEntry(dir, 'src.deep:A').file).toBe('src/deep.mts');
  expect(findEntry(dir, 'pkg:A').file).toBe('pkg/index.ts');
  expect(() => findEntry(dir, 'nope:A')).toThrow('there is no nope.ts');
  expect(() => findEntry(join(dir, 'src'), '../agent:A')).toThrow('outside');
});

test('the SDK is the platform’s: it is not asked of a registry', () => {
  const dir = project({ 'package.json': json({ dependencies: { '@svc/sdk': '1', zod: '4' } }) });
  expect(runtimeDependencies(readManifest(dir))).toEqual(['zod']);
  expect(withoutSdk(dir)).toBe(true);
  expect(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))).toEqual({ dependencies: { zod: '4' } });
  expect(withoutSdk(dir)).toBe(false);
});

test('a scaffold’s lock of npm is freed of the SDK, so that what it names is installed as it is; the install is shared all the same', () => {
  const dependencies = { '@svc/sdk': 'file:vendor/svc-sdk-1.0.0.tgz', zod: '4' };
  const lock = {
    name: 'a',
    lockfileVersion: 3,
    packages: { '': { name: 'a', dependencies }, 'node_modules/@svc/sdk': { version: '1.0.0' }, 'node_modules/zod': { version: '4.0.0' } },
  };
  const files = { 'package.json': json({ dependencies }), 'package-lock.json': json(lock) };
  const dir = project(files);
  expect(withoutSdk(dir)).toBe(false);
  const kept = JSON.parse(readFileSync(join(dir, 'package-lock.json'), 'utf8'));
  expect(kept.packages).toEqual({ '': { name: 'a', dependencies: { zod: '4' } }, 'node_modules/zod': { version: '4.0.0' } });
  expect(keyOf(files)).toMatch(/^[0-9a-f]{64}$/);
});

test('an install is known by what decides it, and by nothing else', () => {
  const files = { 'package.json': json({ name: 'a', version: '1.0.0', dependencies: { zod: '4.0.0' } }), 'bun.lock': 'lock' };
  const key = keyOf(files);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(keyOf({ ...files, 'package.json': json({ name: 'b', version: '2.0.0', dependencies: { zod: '4.0.0' } }), 'agent.ts': 'x' })).toBe(key);
  expect(keyOf({ ...files, 'bun.lock': 'other' })).not.toBe(key);
  expect(keyOf({ ...files, '.npmrc': 'x=y' })).not.toBe(key);
  expect(keyOf({ ...files, 'package.json': json({ dependencies: { zod: '4.0.0' }, overrides: { a: '1' } }) })).not.toBe(key);
  expect(keyOf(files, 'another base')).not.toBe(key);
  // The installer may read another lock file than the one that we would.
  for (const name of ['bun.lockb', 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'npm-shrinkwrap.json', 'pnpm-workspace.yaml'])
    expect(keyOf({ ...files, [name]: 'other' }), name).not.toBe(key);
});

test('what depends on other files of the project is never shared', () => {
  const lock = { 'bun.lock': 'lock' };
  expect(keyOf({ 'package.json': json({ dependencies: { zod: '4' } }) })).toBeNull();
  expect(keyOf({ ...lock, 'package.json': json({ dependencies: { mine: 'file:../mine' } }) })).toBeNull();
  expect(keyOf({ ...lock, 'package.json': json({ dependencies: { a: '1' }, workspaces: ['x'] }) })).toBeNull();
  expect(keyOf({ ...lock, 'package.json': json({ dependencies: { a: '1' }, patchedDependencies: { a: 'p' } }) })).toBeNull();
  for (const field of ['overrides', 'resolutions'])
    expect(keyOf({ ...lock, 'package.json': json({ dependencies: { a: '1' }, [field]: { b: { c: 'file:./mine' } } }) }), field).toBeNull();
});

test('a broken package.json is the author’s to correct', () => {
  expect(() => readManifest(project({ 'package.json': '{' }))).toThrow('correct it');
});

test('compiled packages and those that load them stay outside of the bundle, with all they need', () => {
  const dir = project({
    'node_modules/sharpish/package.json': json({ dependencies: { colors: '1' }, optionalDependencies: { '@img/linux': '1' } }),
    'node_modules/@img/linux/package.json': json({ os: ['linux'] }),
    'node_modules/@img/linux/lib/x.node': '',
    'node_modules/colors/package.json': json({}),
    'node_modules/pure/package.json': json({ dependencies: { colors: '1' } }),
  });
  const packages = installedPackages(join(dir, 'node_modules'));
  expect(unbundled(packages).sort()).toEqual(['@img/linux', 'sharpish']);
  const out = join(dir, 'out');
  copyWithNeeds(packages, unbundled(packages), out);
  expect(
    installedPackages(out)
      .map((one) => one.name)
      .sort(),
  ).toEqual(['@img/linux', 'colors', 'sharpish']);
  cpSync(out, join(dir, 'again'), { recursive: true });
});

test('errors name file, line and remedy', () => {
  const position = { file: '/w/agent.ts', line: 3, column: 7, lineText: "  import x from '@a/b/c';" };
  expect(explain({ message: 'Could not resolve: "@a/b/c". Maybe you need to "bun install"?', position }, '/w')).toBe(
    'agent.ts:3:7: error: Could not resolve: "@a/b/c". Add it to dependencies: npm install @a/b\n    import x from \'@a/b/c\';',
  );
  expect(
    explain(
      { message: 'No matching export in "src/agent.ts" for import "Greeter"', position: { ...position, file: '/w/node_modules/.svc-entry/svc-agent.ts' } },
      '/w',
    ),
  ).toContain('write `export class Greeter`');
  expect(explain('what', '/w')).toBe('what');
});
