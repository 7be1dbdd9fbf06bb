import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../lib/output.ts';

const POLL_MS = 500;
const ENDED = ['succeeded', 'failed', 'cancelled'];

interface Shown {
  state: string;
  done: number;
  total: number;
}

/** Reads until it has ended; says how far it is. */
export async function followed<T extends Shown>(output: Output, read: () => Promise<T>): Promise<T> {
  let lastDone = -1;
  for (;;) {
    const run = await read();
    if (run.done > lastDone) output.note(`${run.done} of ${run.total}`);
    lastDone = run.done;
    if (ENDED.includes(run.state)) return run;
    await sleep(POLL_MS);
  }
}
