import { expect, test } from 'vitest';
import { money, share, time } from './words.ts';

test('shares, times and costs say where there is nothing', () => {
  expect([share(0, 0), share(0, 7), share(7, 7), share(1, 3)]).toEqual(['–', '0 %', '100 %', '33.3 %']);
  expect([time(null), time(1_200)]).toEqual(['–', '1.2 s']);
  expect([money(null), money(0)]).toEqual(['no price known', '$0.00']);
});
