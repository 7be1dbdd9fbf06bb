import { expect, it } from 'vitest';
import { newId, uuidv7 } from './ids.ts';

it('ids are prefixed UUIDs of version 7 and variant 10', () => {
  for (let n = 0; n < 200; n += 1) expect(newId('job')).toMatch(/^job_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it('sort by the time they were made', () => {
  const times = [0, 1, 999, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47];
  const ids = times.map((time) => uuidv7(time));
  expect(ids.toSorted()).toEqual(ids);
  expect(Number.parseInt(uuidv7(1_700_000_000_123).replaceAll('-', '').slice(0, 12), 16)).toBe(1_700_000_000_123);
});

it('do not repeat within one millisecond', () => {
  expect(new Set(Array.from({ length: 20_000 }, () => uuidv7(1))).size).toBe(20_000);
});
