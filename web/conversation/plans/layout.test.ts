import { expect, test } from 'vitest';
import { edgesOf, placesOf, STEP } from './layout.ts';

const steps = [
  { number: 1, dependsOn: [] },
  { number: 2, dependsOn: [1] },
  { number: 3, dependsOn: [1] },
  { number: 4, dependsOn: [2, 3, 99, 4] },
];

test('a step stands behind those that it waits for, and none stands on another', () => {
  const { places, width, height } = placesOf(steps, 'LR');
  const [one, two, three, four] = places;
  expect((one?.x ?? 0) + STEP.width).toBeLessThan(two?.x ?? 0);
  expect(two?.x).toBe(three?.x);
  expect(Math.abs((two?.y ?? 0) - (three?.y ?? 0))).toBeGreaterThan(STEP.height);
  expect((four?.x ?? 0) + STEP.width).toBe(width);
  expect(height).toBeGreaterThan(2 * STEP.height);
});

test('what a step waits for and does not exist makes no line', () => {
  expect(edgesOf(steps)).toEqual([
    [1, 2],
    [1, 3],
    [2, 4],
    [3, 4],
  ]);
  expect(placesOf([], 'TB')).toEqual({ places: [], width: 0, height: 0 });
});

test('64 steps are placed in a moment', () => {
  const many = Array.from({ length: 64 }, (_, at) => ({ number: at + 1, dependsOn: at < 8 ? [] : [at - 7, at - 6] }));
  expect(placesOf(many, 'LR').places).toHaveLength(64);
});
