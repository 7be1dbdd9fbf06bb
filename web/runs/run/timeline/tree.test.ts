import { expect, test } from 'vitest';
import { rowsOf } from './tree.ts';
import { spanOf, waitOf } from './test-span.ts';

const NO_FILTER = { text: '', errorsOnly: false };
const spans = [
  spanOf('run', null, [0, 100]),
  spanOf('chat', 'run', [10, 20], { name: 'chat gpt-5', attributes: { 'gen_ai.request.model': 'gpt-5' } }),
  spanOf('sub', 'run', [20, 90], { agent: 'helper' }),
  spanOf('tool', 'sub', [30, 40], { status: 'error', message: 'no such file' }),
  spanOf('late', 'run', [95, null]),
];
const names = (...[closed, filter]: [string[], Partial<typeof NO_FILTER>]): string[] =>
  rowsOf(spans, new Set(closed), { ...NO_FILTER, ...filter }).map(({ span, depth, isFound }) => `${'.'.repeat(depth)}${span.span_id}${isFound ? '' : '?'}`);

test('each span stands before those below it, siblings in the order of their starts', () => {
  expect(names([], {})).toEqual(['run', '.chat', '.sub', '..tool', '.late']);
});

test('a closed span hides what is below it and says how much that is', () => {
  expect(names(['sub'], {})).toEqual(['run', '.chat', '.sub', '.late']);
  expect(rowsOf(spans, new Set(['run']), NO_FILTER)).toMatchObject([{ children: 3, isClosed: true }]);
});

test('a filter leaves what it finds and the way there, closed or not', () => {
  expect(names(['run'], { text: 'GPT' })).toEqual(['run?', '.chat']);
  expect(names([], { text: 'helper' })).toEqual(['run?', '.sub']);
  expect(names([], { errorsOnly: true })).toEqual(['run?', '.sub?', '..tool']);
  expect(names([], { text: 'file', errorsOnly: true })).toEqual(['run?', '.sub?', '..tool']);
  expect(names([], { text: 'nothing like it' })).toEqual([]);
});

test('a span whose parent is not in the document stands at the top', () => {
  expect(rowsOf([spanOf('lost', 'elsewhere', [0, 1])], new Set(), NO_FILTER)).toMatchObject([{ depth: 0 }]);
});

test('ten thousand levels are no recursion', () => {
  const deep = Array.from({ length: 10_000 }, (_, n) => spanOf(`s${n}`, n === 0 ? null : `s${n - 1}`, [n, n + 1], n === 9_999 ? { status: 'error' } : {}));
  expect(rowsOf(deep, new Set(), NO_FILTER).at(-1)).toMatchObject({ depth: 9_999 });
  expect(rowsOf(deep, new Set(), { text: '', errorsOnly: true })).toHaveLength(10_000);
});

test('many equal waits that follow each other are one row with a number, unless a filter looks for them', () => {
  const waits = Array.from({ length: 500 }, (_, n) => ({ ...waitOf(`w${n}`, 'run', [n, n + 1]), name: 'wait question' }));
  const all = [spanOf('run', null, [0, 600]), ...waits, { ...waitOf('last', 'run', [550, 551]), name: 'wait scope_request' }];
  expect(rowsOf(all, new Set(), NO_FILTER).map(({ span, same }) => [span.span_id, same])).toEqual([
    ['run', undefined],
    ['w0', 500],
    ['last', undefined],
  ]);
  expect(rowsOf(all, new Set(), NO_FILTER)[1]?.span.end_ns).toBe(waits.at(-1)?.end_ns);
  expect(rowsOf(all, new Set(), { ...NO_FILTER, text: 'wait' })).toHaveLength(502);
});
