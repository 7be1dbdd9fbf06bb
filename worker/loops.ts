// Housekeeping beside Temporal: it must also run while Temporal is down.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Loop {
  name: string;
  everyMs: number;
  run: () => Promise<unknown>;
}

/** After a failure a round comes again this soon: some come once a day. */
const SOON_MS = 60_000;

/** Hears of a loop after each of its rounds. */
export type LoopObserver = (name: string, failing: boolean) => void;

/** Runs each loop one after itself until `signal` aborts; an error is logged and the loop continues. */
export async function runLoops(loops: readonly Loop[], log: Logger, signal: AbortSignal, observe: LoopObserver = () => undefined): Promise<void> {
  await Promise.all(loops.map((loop) => runLoop(loop, log, signal, observe)));
}

async function runLoop({ name, everyMs, run }: Loop, log: Logger, signal: AbortSignal, observe: LoopObserver): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    try {
      await run();
      if (failing) log.info({ loop: name }, 'works again');
      failing = false;
    } catch (error) {
      // Once per outage, not once a second.
      if (!failing) log.warn({ loop: name, err: error }, 'failed; trying again');
      failing = true;
    }
    observe(name, failing);
    await delay(failing ? Math.min(everyMs, SOON_MS) : everyMs, undefined, { signal }).catch(() => undefined);
  }
}
