import { expect, test } from 'vitest';
import type { TrialCriterion } from './trial-rooms.ts';
import { partsOf, scoreFrom, type TrialAnswer, type TrialMeasure } from './trial-score.ts';

const guard = <T>(work: () => T) => ({ value: work() });
const measure = (more: Partial<TrialMeasure> = {}): TrialMeasure => ({
  outputSchema: undefined,
  of: { facts: [], has_expected: false },
  criteria: [],
  judged: {},
  limits: { costMicros: 1_000, ms: 10_000 },
  ...more,
});
const answer = (result: unknown, more: Partial<TrialAnswer> = {}): TrialAnswer => ({ outcome: { result }, ms: 0, costMicros: 0, ...more });
const scores = (given: TrialAnswer, of: TrialMeasure) => Object.fromEntries(partsOf(given, of, guard).map(({ part, score }) => [part, score]));

test('what a room does not state has no part, and the others are scaled to 100 points', () => {
  expect(scores(answer('x'), measure())).toEqual({ cost: 1, time: 1 });
  expect(scoreFrom(partsOf(answer('x'), measure(), guard))).toBe(100_000);
  const half = partsOf(answer('x', { ms: 5_000, costMicros: 500 }), measure(), guard);
  expect(scoreFrom(half)).toBe(50_000);
  // facts 20 of 40 points, cost and time 10 each.
  expect(scoreFrom(partsOf(answer('nothing'), measure({ of: { facts: ['that'], has_expected: false } }), guard))).toBe(50_000);
});

test('schema, expected answer and facts are looked at wherever they stand', () => {
  const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
  const of = measure({ outputSchema: schema, of: { facts: ['12.5', 'EUR  paid'], expected: { total: 12.5 }, has_expected: true } });
  expect(scores(answer({ total: 12.5, note: 'eur\npaid' }), of)).toMatchObject({ schema: 1, expected: 0, facts: 1 });
  expect(scores(answer({ total: 12.5 }), of)).toMatchObject({ schema: 1, expected: 1, facts: 0.5 });
  const [, , facts] = partsOf(answer({ total: '12' }), of, guard);
  expect(scores(answer({ total: '12' }), of)).toMatchObject({ schema: 0, expected: 0, facts: 0 });
  expect(facts?.reason).toBe('Not in the answer: 12.5; EUR  paid');
});

test('only criteria that could be computed count', () => {
  const criteria: TrialCriterion[] = [
    { text: 'polite' },
    { text: 'short', check: { kind: 'matches', pattern: '^.{1,5}$', pointer: '', absent: false } },
    { text: 'kind' },
  ];
  const judged = { 0: { score: 0.5, reason: 'It says nothing of the kind' } };
  const [criterion] = partsOf(answer('thanks a lot'), measure({ criteria, judged }), guard);
  expect(criterion).toMatchObject({ part: 'criteria', weight: 30, score: 0.25 });
  expect(criterion?.reason).toContain('kind: Nothing checks it');
  expect(scores(answer('x'), measure({ criteria: [{ text: 'polite' }] })).criteria).toBeNull();
});

test('no answer scores nothing; cost without a price does not count; beyond a limit is 0', () => {
  expect(partsOf({ outcome: { error: { code: 'x' } }, ms: 1, costMicros: 0 }, measure(), guard)).toEqual([]);
  expect(scoreFrom([])).toBe(0);
  expect(scores(answer('x', { costMicros: null }), measure())).toEqual({ cost: null, time: 1 });
  expect(scores(answer('x', { ms: 20_000, costMicros: 5_000 }), measure())).toEqual({ cost: 0, time: 0 });
  expect(scores(answer('x'), measure({ limits: { costMicros: 0, ms: 1 } }))).toMatchObject({ cost: 1 });
});
