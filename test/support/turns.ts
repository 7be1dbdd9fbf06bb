// Steps of this process instead of times: as many on a fast machine as on a slow one.
import { setImmediate } from 'node:timers/promises';

/** Turns of the event loop: after some of them, what had only to be taken up by this process has been. */
export async function turns(count = 100): Promise<void> {
  for (let n = 0; n < count; n += 1) await setImmediate();
}

/** Turns of the event loop until `work` has ended; none, where it kept the process to itself. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [count, ended] = [0, false];
  void work.then(
    () => (ended = true),
    () => (ended = true),
  );
  for (; !ended; count += 1) await setImmediate();
  return count;
}

/** Until the clock says another millisecond than now: what comes then is later by its time, too. */
export async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() <= now;) await setImmediate();
}
