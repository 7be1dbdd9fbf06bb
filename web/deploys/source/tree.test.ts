import { expect, test } from 'vitest';
import { rowsOf, treeOf } from './tree.ts';

const seen = (paths: string[], open: (path: string) => boolean): string[] =>
  rowsOf(treeOf(paths), open).map(({ depth, name, kind }) => `${'.'.repeat(depth)}${name}${kind === 'folder' ? '/' : ''}`);

test('folders first, closed ones without what is in them', () => {
  const paths = ['z.ts', 'lib/deep/a.ts', 'lib/b.ts', 'a.md'];
  expect(seen(paths, () => true)).toEqual(['lib/', '.deep/', '..a.ts', '.b.ts', 'a.md', 'z.ts']);
  expect(seen(paths, () => false)).toEqual(['lib/', 'a.md', 'z.ts']);
  expect(seen(paths, (path) => path === 'lib')).toEqual(['lib/', '.deep/', '.b.ts', 'a.md', 'z.ts']);
  expect(seen([], () => true)).toEqual([]);
});

test('names that objects have anyway', () => {
  expect(seen(['__proto__/x', 'constructor'], () => true)).toEqual(['__proto__/', '.x', 'constructor']);
});
