import { expect, test } from 'vitest';
import { lineOf, placeOf } from './line.ts';

test('a line goes from left to right, its largest value at the top, its smallest at the bottom', () => {
  expect(lineOf([0, 10, 5], 100, 48)).toBe('0.0,44.0 50.0,4.0 100.0,24.0');
  expect(lineOf([7, 7], 100, 48)).toBe('0.0,24.0 100.0,24.0');
  expect(lineOf([3], 100, 48)).toBe('0.0,24.0');
  expect(lineOf([], 100, 48)).toBe('');
});

test('a value has its place between two others', () => {
  expect([placeOf(-5, -5, 5), placeOf(0, -5, 5), placeOf(5, -5, 5), placeOf(1, 1, 1)]).toEqual([0, 0.5, 1, 0.5]);
});
