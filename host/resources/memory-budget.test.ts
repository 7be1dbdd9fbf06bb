import { expect, test } from 'vitest';
import { createBudget } from './memory-budget.ts';

test('a lease beyond the limit puts idle guests to sleep until it fits', async () => {
  const idle: (() => void)[] = [];
  const budget = createBudget(1_000, async () => {
    const give = idle.shift();
    give?.();
    return give !== undefined;
  });
  for (let n = 0; n < 4; n++) {
    const lease = await budget.take(250, 0);
    idle.push(() => lease.release());
  }
  await budget.take(500, 0);
  expect([budget.usedMib, idle.length]).toEqual([1_000, 2]);
});

test('without idle machines a lease waits for a release, in order', async () => {
  const budget = createBudget(300, async () => false);
  const first = await budget.take(300, 0);
  const order: string[] = [];
  const big = budget.take(300, 5_000).then((lease) => (order.push('big'), lease));
  const small = budget.take(100, 5_000).then((lease) => (order.push('small'), lease));
  first.release();
  first.release();
  (await big).release();
  await small;
  expect(order).toEqual(['big', 'small']);
  expect(budget.usedMib).toBe(100);
});

test('what never fits and what does not fit in time are refused', async () => {
  const budget = createBudget(100, async () => false);
  await expect(budget.take(200, 10)).rejects.toMatchObject({ code: 'start_failed' });
  budget.assume(100);
  await expect(budget.take(50, 10)).rejects.toMatchObject({ code: 'wake_queue_full' });
});
