import { expect, test } from 'vitest';
import { turns } from '#test/support/turns.ts';
import { createKeyedLimiter } from './keyed-limiter.ts';

const late = (): Error => new Error('late');

test('a few calls of one key are active at a time, in order, though some fail; other keys do not wait', async () => {
  const limiter = createKeyedLimiter();
  let [working, most] = [0, 0];
  const begun: number[] = [];
  const work = (n: number) => async (): Promise<number> => {
    begun.push(n);
    most = Math.max(most, (working += 1));
    await turns(5);
    working -= 1;
    if (n % 4 === 0) throw new Error(`no ${n}`);
    return n;
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => limiter.run('a', work(n), 10_000, late)));
  expect(most).toBe(3);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(Array.from({ length: 20 }, (_, n) => n % 4 !== 0));
  const never = new Promise<void>(() => undefined);
  for (let n = 0; n < 3; n += 1) void limiter.run('b', () => never, 10_000, late);
  expect(await limiter.run('a', work(1), 10_000, late)).toBe(1);
});

test('a call that waits too long is refused, and the next one is admitted', async () => {
  const limiter = createKeyedLimiter();
  const releases: (() => void)[] = [];
  const busy = Array.from({ length: 3 }, () => limiter.run('a', () => new Promise<void>((resolve) => void releases.push(resolve)), 10_000, late));
  const impatient = limiter.run('a', async () => 'never', 1, late);
  const patient = limiter.run('a', async () => 'in turn', 10_000, late);
  await expect(impatient).rejects.toThrow('late');
  for (const release of releases) release();
  expect(await patient).toBe('in turn');
  await Promise.all(busy);
});
