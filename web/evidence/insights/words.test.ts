import { expect, test } from 'vitest';
import { money, share, since, time } from './words.ts';

test('a window begins at the same instant for an hour', () => {
  const at = (text: string): string => since(7, Date.parse(`2026-11-20T${text}Z`));
  expect([at('12:00:00'), at('12:59:59'), at('13:00:00')]).toEqual(['2026-11-13T12:00:00.000Z', '2026-11-13T12:00:00.000Z', '2026-11-13T13:00:00.000Z']);
});

test('shares, times and costs say where there is nothing', () => {
  expect([share(0, 0), share(0, 7), share(7, 7), share(1, 3)]).toEqual(['–', '0 %', '100 %', '33.3 %']);
  expect([time(null), time(1_200)]).toEqual(['–', '1.2 s']);
  expect([money(null), money(0)]).toEqual(['no price known', '$0.00']);
});
