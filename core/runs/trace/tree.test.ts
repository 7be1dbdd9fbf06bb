import { expect, test } from 'vitest';
import type { SpanOut } from '#contract/runs/traces.ts';
import { spanIdOf } from '../../kernel/trace.ts';
import type { RunFacts } from './facts.ts';
import { treeOf } from './tree.ts';

const run = (run_id: string, parent_run_id: string | null = null): RunFacts => ({ run_id, parent_run_id }) as RunFacts; // what treeOf reads
const span = (run_id: string, span_id: string, parent_id: string | null, start_ns = '1000000'): SpanOut => ({
  span_id,
  parent_id,
  run_id,
  agent: 'a',
  source: 'agent',
  name: span_id,
  kind: 'internal',
  start_ns,
  end_ns: start_ns,
  status: 'unset',
  message: null,
  attributes: {},
  events: [],
});
const top = span('run_a', spanIdOf('run_a'), null);
const below = span('run_b', spanIdOf('run_b'), spanIdOf('run_a'));
const runs = [run('run_a'), run('run_b', 'run_a')];
const parents = (spans: SpanOut[]): Record<string, string | null> => Object.fromEntries(spans.map(({ span_id, parent_id }) => [span_id, parent_id]));

test('spans of an agent stay where it put them, within its run', () => {
  const tree = treeOf(runs, [top, below], [span('run_a', 's1', top.span_id), span('run_a', 's2', 's1'), span('run_b', 's3', below.span_id)]);
  expect(parents(tree)).toEqual({ [top.span_id]: null, [below.span_id]: top.span_id, s1: top.span_id, s2: 's1', s3: below.span_id });
});

test('a run hangs on the span of its caller that called it, and on no span of another run', () => {
  const called = { ...below, parent_id: 's1' };
  expect(parents(treeOf(runs, [top, called], [span('run_a', 's1', top.span_id)]))[below.span_id]).toBe('s1');
  // The callee says that the span is its own: a circle, if it were believed.
  expect(parents(treeOf(runs, [top, called], [span('run_b', 's1', below.span_id)]))).toMatchObject({ [below.span_id]: top.span_id, s1: below.span_id });
});

test('a run that says the id of a span that called it does not take its place, whatever its clock says', () => {
  const [calling, forged] = [span('run_a', 's1', top.span_id, '5000000'), span('run_b', 's1', below.span_id, '1000000')];
  for (const said of [
    [forged, calling],
    [calling, forged],
  ]) {
    for (const order of [runs, runs.toReversed()]) {
      const tree = treeOf(order, [top, { ...below, parent_id: 's1' }], said);
      expect(tree.filter(({ span_id }) => span_id === 's1')).toEqual([calling]);
      expect(parents(tree)[below.span_id]).toBe('s1');
    }
  }
});

test('a parent that never came, circles, and spans of other runs as parents leave no orphan', () => {
  const said = [
    span('run_b', 'lost', 'nowhere'),
    span('run_b', 'under-lost', 'lost'),
    span('run_b', 'c1', 'c3'),
    span('run_b', 'c2', 'c1'),
    span('run_b', 'c3', 'c2'),
    span('run_b', 'self', 'self'),
    span('run_b', 'foreign', top.span_id),
    span('run_b', 'rootless', null),
  ];
  const found = parents(treeOf(runs, [top, below], said));
  expect(found).toMatchObject({ lost: below.span_id, 'under-lost': 'lost', self: below.span_id, foreign: below.span_id, rootless: below.span_id });
  for (const id of Object.keys(found)) {
    let at: string | null = id;
    for (let up = 0; at !== top.span_id; up += 1) {
      expect(up, id).toBeLessThan(20);
      at = found[at ?? ''] ?? null;
    }
  }
});

test("an agent's span with the id of a span of the platform is left out", () => {
  const forged = { ...span('run_b', top.span_id, null), name: 'forged' };
  const tree = treeOf(runs, [top, below], [forged]);
  expect(tree.map(({ name }) => name)).toEqual([top.name, below.name]);
});

test('spans of one start stand in the order of their ids, however they were read', () => {
  const said = ['b', 'a', 'c'].map((id) => span('run_a', id, top.span_id, '1764084601123000000'));
  for (const order of [said, said.toReversed()]) expect(treeOf([run('run_a')], [], order).map(({ span_id }) => span_id)).toEqual(['a', 'b', 'c']);
});

test('a chain of ten thousand spans is placed, in the order of their starts to the nanosecond', () => {
  const said = Array.from({ length: 10_000 }, (_, n) =>
    span('run_a', `n${n}`, n === 0 ? 'nowhere' : `n${n - 1}`, String(1764084601123000000n + BigInt(n))),
  ).reverse();
  const tree = treeOf([run('run_a')], [top], said);
  expect(tree.slice(1).map(({ span_id }) => span_id)).toEqual(said.map(({ span_id }) => span_id).reverse());
  expect(tree[1]?.parent_id).toBe(top.span_id);
  expect(tree[9_999]?.parent_id).toBe('n9997');
});
