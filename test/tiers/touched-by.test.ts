import { expect, test } from 'vitest';
import { contentKey, type Graph, reachOf } from './graph.ts';
import { touchedBy } from './touched-by.ts';

function graphOf(edges: Record<string, string[]>, contents: Record<string, string> = {}): Graph {
  const files = new Set([...Object.keys(edges), ...Object.values(edges).flat()]);
  return { edges: new Map(Object.entries(edges)), contents: new Map([...files].map((file) => [file, contents[file] ?? 'one'])) };
}

const EDGES = {
  'core/a/verb.test.ts': ['core/a/verb.ts'],
  'core/b/other.test.ts': ['core/b/other.ts'],
  'core/b/other.ts': ['core/a/verb.ts'],
  'test/api/all.test.ts': ['api/all.ts'],
  'api/all.ts': ['core/b/other.ts', 'api/one.ts', 'api/two.ts', 'api/three.ts'],
  'core/a/verb.ts': ['core/kernel/ids.ts'],
  'web/page.test.ts': ['web/page.ts'],
};

test('the test beside the change first, then the near ones that reach little; what does not reach it is not run', () => {
  const graph = graphOf(EDGES);
  expect(touchedBy(graph, ['core/a/verb.ts']).map(({ file }) => file)).toEqual(['core/a/verb.test.ts', 'core/b/other.test.ts', 'test/api/all.test.ts']);
  expect(touchedBy(graph, ['web/page.ts'])).toEqual([{ file: 'web/page.test.ts', distance: 1 }]);
  expect(touchedBy(graph, ['core/b/other.test.ts'])).toEqual([{ file: 'core/b/other.test.ts', distance: 0 }]);
  expect(touchedBy(graph, ['docs/unread.md'])).toEqual([]);
});

test('a test that reaches everything is as near as the files of its folder, the one that it is named after first', () => {
  const rest = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`web/page${at}.ts`, []]));
  const edges = { ...EDGES, ...rest, 'api/all.ts': [...Object.keys(rest), 'api/routes/b.ts'], 'api/routes/b.ts': ['core/b/other.ts'] };
  const graph = graphOf({ ...edges, 'api/routes/b.test.ts': ['api/all.ts'], 'api/routes/a.test.ts': ['api/all.ts'] });
  expect(touchedBy(graph, ['core/a/verb.ts'])).toEqual([
    { file: 'core/a/verb.test.ts', distance: 1 },
    { file: 'core/b/other.test.ts', distance: 2 },
    { file: 'api/routes/b.test.ts', distance: 4 },
    { file: 'api/routes/a.test.ts', distance: 4 },
    { file: 'test/api/all.test.ts', distance: 4 },
  ]);
});

test('the lock file is reached by all, last', () => {
  const graph = graphOf(EDGES);
  expect(touchedBy(graph, ['package-lock.json'])).toHaveLength(4);
  expect(reachOf(graph, 'web/page.test.ts').get('web/page.ts')).toBe(1);
});

test('the key of a test changes with all that it reaches, and with nothing else', () => {
  const keys = (contents: Record<string, string>): string[] =>
    ['core/b/other.test.ts', 'web/page.test.ts'].map((file) => contentKey(graphOf(EDGES, contents), file));
  const [other, page] = keys({});
  expect(keys({ 'core/kernel/ids.ts': 'two' })).toEqual([expect.not.stringMatching(other ?? ''), page]);
  expect(keys({ 'web/page.ts': 'two' })).toEqual([other, expect.not.stringMatching(page ?? '')]);
});
