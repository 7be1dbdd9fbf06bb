import { expect, it } from 'vitest';
import { untilIdle } from './idle.ts';

/** Readings one after the other, each 100 ticks later; `idle` of them unused. */
function readings(idle: number[]): { read(): { idle: number; total: number }; count(): number } {
  let [sum, taken] = [0, 0];
  return {
    read() {
      sum += idle[taken] ?? 0;
      return { idle: sum, total: 100 * taken++ };
    },
    count: () => taken,
  };
}
const never = new AbortController().signal;

it('waits until most of the processors had nothing to do', async () => {
  const { read, count } = readings([0, 10, 50, 59, 60, 100]);
  await untilIdle(1, 60_000, never, read);
  expect(count()).toBe(5);
});

it('waits no longer than its limit on a machine that is always busy', async () => {
  const { read } = readings([]);
  await untilIdle(1, 20, never, read);
});

it('ends when aborted', async () => {
  const abort = new AbortController();
  const waiting = untilIdle(60_000, 60_000, abort.signal);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
