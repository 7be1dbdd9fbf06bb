import { expect, test } from 'vitest';
import { usesOf } from './uses.ts';

test('imports of every form, without those of types and of packages', () => {
  const text = `
import { a } from './a.ts';
import type { B } from './b.ts';
import { type C } from './c.ts';
import { type D, d } from './d.ts';
import './e.ts';
export { f } from '../f.ts';
export type { G } from './g.ts';
import { h } from '#core/kernel/h.ts';
import { Agent } from '@svc/sdk';
import { llm } from '@svc/sdk/llm';
import pg from 'pg';
const i = await import('./i.ts');
const j = await import(variable);
`;
  expect(usesOf('x/y/file.ts', text)).toEqual({
    imports: ['x/y/a.ts', 'x/y/d.ts', 'x/y/e.ts', 'core/kernel/h.ts', 'sdk/typescript/index.ts', 'sdk/typescript/llm.ts', 'x/f.ts', 'x/y/i.ts'],
    names: [],
  });
});

test('files and folders that are named beside the file, declared, or in a test as a path', () => {
  const text = `// starts: host/main.ts sdk/python/
// reads: docs/
const a = new URL('./keeper.ts', import.meta.url);
const b = join(import.meta.dirname, '../templates');
const c = new URL('https://example.com/x', import.meta.url);
const d = 'examples/greeter';
const e = 'core/kernel/ids.ts';
`;
  const beside = ['host/main.ts', 'sdk/python', 'docs', 'test/support/keeper.ts', 'test/templates'];
  expect(usesOf('test/support/file.ts', text).names).toEqual([...beside, 'examples/greeter', 'core/kernel/ids.ts']);
  // In the product's own sources such words are mostly for people.
  expect(usesOf('core/kernel/file.ts', text).names).not.toContain('examples/greeter');
});

test('a page has no imports', () => {
  expect(usesOf('docs/start.md', "import { a } from './a.ts';")).toEqual({ imports: [], names: [] });
});
