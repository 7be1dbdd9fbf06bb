import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCrowd } from './crowd.ts';

const late = (): Error => new Error('late');

test('a few of one key work at a time, in their order, whatever becomes of them; other keys do not wait', async () => {
  const crowd = createCrowd();
  let [working, most] = [0, 0];
  const begun: number[] = [];
  const work = (n: number) => async (): Promise<number> => {
    begun.push(n);
    most = Math.max(most, (working += 1));
    await delay(5);
    working -= 1;
    if (n % 4 === 0) throw new Error(`no ${n}`);
    return n;
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => crowd.enter('a', work(n), 10_000, late)));
  expect(most).toBe(3);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(Array.from({ length: 20 }, (_, n) => n % 4 !== 0));
  const never = new Promise<void>(() => undefined);
  for (let n = 0; n < 3; n += 1) void crowd.enter('b', () => never, 10_000, late);
  expect(await crowd.enter('a', work(1), 10_000, late)).toBe(1);
});

test('who waits too long is sent away, and the place goes to the next', async () => {
  const crowd = createCrowd();
  const releases: (() => void)[] = [];
  const busy = Array.from({ length: 3 }, () => crowd.enter('a', () => new Promise<void>((resolve) => void releases.push(resolve)), 10_000, late));
  const impatient = crowd.enter('a', async () => 'never', 1, late);
  const patient = crowd.enter('a', async () => 'in turn', 10_000, late);
  await expect(impatient).rejects.toThrow('late');
  for (const release of releases) release();
  expect(await patient).toBe('in turn');
  await Promise.all(busy);
});
