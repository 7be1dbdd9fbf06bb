// The machine's clock is set an hour forward, or back, while work is under way: what is measured within a process goes on as before.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBudget } from '#host/resources/memory-budget.ts';
import { untilIdle } from '#host/sandbox/idle.ts';
import { watchRun } from '#core/runs/durable/run-clock.ts';
import { testContext } from '../support/context.ts';

const HOUR = 3_600_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());
const jump = (by: number): void => void vi.setSystemTime(Date.now() + by);

test.each([HOUR, -HOUR])('a run is neither ended as late nor counted as longer or shorter: %i', async (by) => {
  const it = await testContext();
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const stop = vi.fn();
  const clock = watchRun(it.ctx, { runId: 'run_00000000-0000-7000-8000-000000000001', ranMs: 0, maxMs: 1_000, stop });
  jump(by);
  // The clock is looked at every five seconds.
  vi.advanceTimersByTime(6_000);
  const ran = clock.ran();
  clock.end();
  await it.close();
  expect(stop).not.toHaveBeenCalled();
  expect(ran).toBeGreaterThanOrEqual(0);
  expect(ran).toBeLessThan(60_000);
});

test('who waits for memory is answered in the time that was given', async () => {
  const budget = createBudget(100, async () => false);
  await budget.take(100, 0);
  const waiting = budget.take(1, 300);
  jump(-HOUR);
  await expect(waiting).rejects.toMatchObject({ code: 'wake_queue_full' });
});

test('a wait for unused processors ends', async () => {
  const waiting = untilIdle(10, 100, new AbortController().signal, () => ({ idle: 0, total: 1 }));
  jump(-HOUR);
  await waiting;
});
