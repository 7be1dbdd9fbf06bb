import { expect, test } from 'vitest';
import { Naps } from './naps.ts';

test('a nap lasts from the first tier to the wake, and each wake has a time of its own', () => {
  const naps = new Naps({ last_used_at: 0 });
  naps.fellAsleep(1_000);
  naps.fellAsleep(5_000);
  naps.woke('suspended', 200, 9_200);
  naps.fellAsleep(9_200);
  naps.woke('paused', 0, 9_200);
  expect(naps.wakes).toEqual([
    { at: 9_200, from: 'suspended', ms: 200, slept_ms: 8_000 },
    { at: 9_201, from: 'paused', ms: 0, slept_ms: 0 },
  ]);
});

test('one that slept when the host began slept since its last use; an instance that failed did not sleep', () => {
  const naps = new Naps({ last_used_at: 4_000 });
  naps.woke('cold', 1_000, 10_000);
  naps.woke('failed', 1_000, 20_000);
  expect(naps.wakes).toEqual([{ at: 10_000, from: 'cold', ms: 1_000, slept_ms: 5_000 }]);
});

test('the last 200 are kept', () => {
  const naps = new Naps({ last_used_at: 0 });
  for (let at = 1; at <= 250; at += 1) naps.woke('paused', 0, at);
  expect([naps.wakes.length, naps.wakes[0]?.at]).toEqual([200, 51]);
});
