import { expect, test } from 'vitest';
import { secondsUntil } from './line-estimate.ts';

test.each([
  ['the next one waits for the rest of what is being built', { position: 1, builders: 1, building: [10], typical: 30 }, 20],
  ['those before take a whole build each', { position: 3, builders: 1, building: [10], typical: 30 }, 80],
  ['several builders are free one after the other', { position: 3, builders: 2, building: [5, 25], typical: 30 }, 35],
  ['a build that takes longer than usual', { position: 1, builders: 1, building: [90], typical: 30 }, 0],
  ['more is built than builders are there, since the operator allows fewer', { position: 1, builders: 1, building: [0, 10], typical: 30 }, 20],
  ['no build is known', { position: 1, builders: 1, building: [10], typical: null }, null],
])('%s', (_, ahead, expected) => {
  expect(secondsUntil(ahead)).toBe(expected);
});
