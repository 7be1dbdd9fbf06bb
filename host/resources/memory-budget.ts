// The machine's memory as leases. A guest that would exceed it waits until a sleeping one gave way, first
// come first served.
import { RuntimeError } from '#drivers/runtime/port.ts';

export interface Lease {
  /** Idempotent. */
  release(): void;
}
export interface MemoryBudget {
  readonly usedMib: number;
  readonly limitMib: number;
  /** Resolves when the memory is there; throws `wake_queue_full` when it is not within the time. */
  take(mib: number, timeoutMs: number): Promise<Lease>;
  /** For what already runs (adopted machines): always granted. */
  assume(mib: number): Lease;
}

/** Memory of an emulator beside its guest's. */
export const overheadMib = 48;

/** `makeRoom` puts one idle guest to sleep and answers true, or false when none is idle. */
export function createBudget(limitMib: number, makeRoom: () => Promise<boolean>): MemoryBudget {
  let usedMib = 0;
  let line: Promise<unknown> = Promise.resolve();
  const freed = new Set<() => void>();

  const assume = (mib: number): Lease => {
    let active = true;
    usedMib += mib;
    return {
      release() {
        if (!active) return;
        active = false;
        usedMib -= mib;
        for (const wake of freed) wake();
      },
    };
  };
  async function take(mib: number, timeoutMs: number): Promise<Lease> {
    if (mib > limitMib) throw new RuntimeError('start_failed', `${mib} MiB are more than this machine gives to all agents together (${limitMib} MiB).`);
    const end = performance.now() + timeoutMs;
    while (usedMib + mib > limitMib) {
      if (await makeRoom()) continue;
      const left = end - performance.now();
      if (left <= 0) throw new RuntimeError('wake_queue_full', `The machine's memory for agents (${limitMib} MiB) is all in use; try again in a moment.`);
      await freedWithin(Math.min(left, 250));
    }
    return assume(mib);
  }
  const freedWithin = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        freed.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      freed.add(done);
    });
  return {
    get usedMib() {
      return usedMib;
    },
    limitMib,
    assume,
    take(mib, timeoutMs) {
      const turn = line.then(() => take(mib, timeoutMs));
      line = turn.catch(() => undefined);
      return turn;
    },
  };
}
