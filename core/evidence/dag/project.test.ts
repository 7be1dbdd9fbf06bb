import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EvidenceNodeOut } from '#contract/evidence/agent-evidence.ts';
import { EVIDENCE_CONFIDENCES, EVIDENCE_EDGES, EVIDENCE_TYPES } from '#contract/states.ts';
import type { Join } from '../collect/source.ts';
import { projectGraph } from './project.ts';

const node = (id: string, at: number): EvidenceNodeOut => ({
  id,
  type: 'receipt',
  lane: 'process',
  label: id,
  status: null,
  summary: '',
  time: new Date(at).toISOString(),
  sort_key: `${String(at * 1000).padStart(17, '0')} ${id}`,
  provenance: ['receipts'],
  refs: {},
  redaction: [],
  confidence: 'strict',
});
const join = (from: string, to: string, more: Partial<Join> = {}): Join => ({ type: 'parent_of', from, to, join_rule: 'x', confidence: 'strict', ...more });
const none = new Set<string>();

/** Nodes with few names, so that the same comes twice, and edges between any of them. */
const graphs = fc.record({
  nodes: fc.array(
    fc.record({ type: fc.constantFrom(...EVIDENCE_TYPES), n: fc.nat(6), at: fc.nat(5) }).map(({ type, n, at }) => ({ ...node(`${type}:${n}`, at), type })),
    { maxLength: 30 },
  ),
  joins: fc.array(
    fc.record({
      type: fc.constantFrom(...EVIDENCE_EDGES),
      from: fc.tuple(fc.constantFrom(...EVIDENCE_TYPES), fc.nat(6)).map(([type, n]) => `${type}:${n}`),
      to: fc.tuple(fc.constantFrom(...EVIDENCE_TYPES), fc.nat(6)).map(([type, n]) => `${type}:${n}`),
      join_rule: fc.constantFrom('a', 'b'),
      confidence: fc.constantFrom(...EVIDENCE_CONFIDENCES),
    }),
    { maxLength: 120 },
  ),
  limit: fc.integer({ min: 1, max: 40 }),
});

function hasCircle(edges: readonly { from: string; to: string }[]): boolean {
  const left = new Set(edges);
  for (;;) {
    const targets = new Set([...left].map(({ to }) => to));
    const free = [...left].filter(({ from }) => !targets.has(from));
    if (free.length === 0) return left.size > 0;
    for (const edge of free) left.delete(edge);
  }
}

test('whatever is joined, the graph has no circle, knows both ends of each edge, and is within its limit', () => {
  fc.assert(
    fc.property(graphs, ({ nodes, joins, limit }) => {
      const found = projectGraph(nodes, joins, { limit, pinned: none });
      const ids = new Set(found.nodes.map(({ id }) => id));
      expect(ids.size).toBe(found.nodes.length);
      expect(found.nodes.length).toBe(Math.min(limit, new Set(nodes.map(({ id }) => id)).size));
      expect(found.edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
      expect(hasCircle(found.edges)).toBe(false);
    }),
  );
});

test('it is the same in whatever order the records come', () => {
  fc.assert(
    fc.property(
      graphs.chain((graph) => fc.record({ graph: fc.constant(graph), nodes: shuffled(graph.nodes), joins: shuffled(graph.joins) })),
      ({ graph: { nodes, joins, limit }, ...other }) => {
        const pinned = new Set(['agent:1']);
        expect(projectGraph(other.nodes, other.joins, { limit, pinned })).toEqual(projectGraph(nodes, joins, { limit, pinned }));
      },
    ),
  );
});

const shuffled = <T>(of: readonly T[]) => fc.shuffledSubarray([...of], { minLength: of.length, maxLength: of.length });

test('what somebody only says never displaces what the platform knows', () => {
  const nodes = [node('a:1', 1), node('b:1', 2)];
  const said = join('b:1', 'a:1', { confidence: 'inferred', type: 'authorizes' });
  const known = join('a:1', 'b:1', { type: 'used_by_receipt' });
  const { edges, warnings } = projectGraph(nodes, [said, known], { limit: 10, pinned: none });
  expect(edges).toMatchObject([{ from: 'a:1', to: 'b:1', confidence: 'strict' }]);
  expect(warnings).toMatchObject([{ code: 'edge_closes_circle', edge: { from: 'b:1', confidence: 'inferred' } }]);
});

test('an edge to itself is a circle', () => {
  const { edges, warnings } = projectGraph([node('a:1', 1)], [join('a:1', 'a:1')], { limit: 10, pinned: none });
  expect([edges.length, warnings.length]).toEqual([0, 1]);
});

test('the newest are kept and what is pinned; it says where it was cut', () => {
  const nodes = [1, 2, 3, 4].map((at) => node(`a:${at}`, at));
  const found = projectGraph(nodes, [], { limit: 2, pinned: new Set(['a:1']) });
  expect(found.nodes.map(({ id }) => id)).toEqual(['a:4', 'a:1']);
  expect(found).toMatchObject({ truncated: true, oldest: new Date(4).toISOString() });
  expect(projectGraph(nodes, [], { limit: 4, pinned: none })).toMatchObject({ truncated: false, oldest: null });
});
