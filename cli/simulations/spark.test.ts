import { expect, test } from 'vitest';
import { sparkline } from './spark.ts';

test('a line of bars: the lowest and the highest value stand out, more values than columns are drawn as means', () => {
  expect(sparkline([0, 7])).toBe('▁█');
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline([5, 5, 5])).toBe('▁▁▁');
  expect(sparkline([])).toBe('');
  expect(sparkline(Array.from({ length: 600 }, (_, at) => at))).toHaveLength(60);
  expect(sparkline([0, 0, 10, 10], 2)).toBe('▁█');
});
