import { expect, test } from 'vitest';
import { stageLines } from './stages.ts';

const states = (...given: Parameters<typeof stageLines>) => stageLines(...given).map(({ state }) => state);

test('one that is under way', () => {
  const begun = new Map([
    ['building', 1_000],
    ['starting', 4_000],
  ]);
  expect(states('starting', 0, begun)).toEqual(['done', 'done', 'now', 'not yet', 'not yet']);
  expect(stageLines('starting', 0, begun).map(({ took }) => took)).toEqual([1_000, 3_000, undefined, undefined, undefined]);
});

test('one that failed, where it failed', () => {
  const begun = new Map([
    ['building', 1_000],
    ['failed', 3_500],
  ]);
  expect(states('failed', 0, begun)).toEqual(['done', 'failed', 'not yet', 'not yet', 'not yet']);
  expect(stageLines('failed', 0, begun)[1]?.took).toBe(2_500);
});

test('one that was cancelled before its turn', () => {
  expect(states('cancelled', 0, new Map([['cancelled', 5]]))).toEqual(['cancelled', 'not yet', 'not yet', 'not yet', 'not yet']);
});

test('one that served, also where its events are gone', () => {
  expect(states('superseded', 0, new Map())).toEqual(['done', 'done', 'done', 'done', 'done']);
});
