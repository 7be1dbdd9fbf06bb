import { describe, expect, test } from 'vitest';
import { dependencyChanges } from './dependencies.ts';
import { fileChanges } from './file-changes.ts';

test('files by their content', () => {
  const file = (path: string, blob: string) => ({ path, blob, size: 1 });
  const before = [file('a', '1'), file('b', '2'), file('c', '3'), file('gone', '4')];
  const after = [file('a', '1'), file('b', '9'), file('d', '3'), file('new', '5')];
  expect(fileChanges(before, after)).toEqual([
    { path: 'b', kind: 'changed' },
    { path: 'd', kind: 'renamed', from: 'c' },
    { path: 'gone', kind: 'removed' },
    { path: 'new', kind: 'added' },
  ]);
  expect(fileChanges([], [])).toEqual([]);
});

describe('dependencies', () => {
  test('of package.json', () => {
    const before = JSON.stringify({ dependencies: { zod: '4.0.0', koa: '3' } });
    const after = JSON.stringify({ dependencies: { zod: '4.1.0' }, devDependencies: { tsx: '1' } });
    expect(dependencyChanges('package.json', before, after)).toEqual([
      { name: 'koa', before: '3', after: undefined },
      { name: 'tsx', before: undefined, after: '1' },
      { name: 'zod', before: '4.0.0', after: '4.1.0' },
    ]);
  });

  test('of a lock, with a package twice', () => {
    const of = (packages: object) => JSON.stringify({ packages });
    const before = of({ '': { version: '1' }, 'node_modules/a': { version: '1.0.0' } });
    const after = of({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/b/node_modules/a': { version: '2.0.0' } });
    expect(dependencyChanges('package-lock.json', before, after)).toEqual([{ name: 'a', before: '1.0.0', after: '1.0.0, 2.0.0' }]);
  });

  test('of requirements.txt and uv.lock', () => {
    expect(dependencyChanges('requirements.txt', '# none\nHTTPX==0.27\n-r more.txt', 'httpx==0.28 # newer\nrich\n')).toEqual([
      { name: 'httpx', before: '==0.27', after: '==0.28' },
      { name: 'rich', before: undefined, after: 'any' },
    ]);
    const lock = (version: string) => `version = 1\n\n[[package]]\nname = "httpx"\nversion = "${version}"\n`;
    expect(dependencyChanges('uv.lock', lock('1'), lock('2'))).toEqual([{ name: 'httpx', before: '1', after: '2' }]);
  });

  test.each(['', '{', '[]', 'null', '{"dependencies":7}', '{"dependencies":{"a":{}}}'])('of what is no such file: %s', (text) => {
    for (const file of ['package.json', 'package-lock.json'] as const) expect(dependencyChanges(file, text, undefined)).toEqual([]);
  });
});
