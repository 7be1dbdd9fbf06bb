// Drives runs from the process that began them, which is faster than through Temporal. Their workflows drive
// them as well: a run's cursor lets only one of the two record each event, and after a failure here only the
// workflow continues.
import type { Ctx } from '../../kernel/ctx.ts';
import { driveRun } from './drive.ts';

/** After this only the workflow drives the run. */
const MOST_MS = 60_000;
/** Of this process at the same time; more are left to their workflows. */
const MOST_AT_ONCE = 200;

let stopping = new AbortController();
const driving = new Set<Promise<void>>();

/**
 * `onEnded`: after the run's end, also where another driver recorded it; not while it waits for a person.
 * Neither rejects.
 */
export function driveAtOnce(ctx: Ctx, runId: string, onEnded?: () => Promise<unknown>): void {
  if (driving.size >= MOST_AT_ONCE) return;
  const { signal } = stopping;
  const drive = async (): Promise<void> => {
    try {
      const driven = await driveRun(ctx, runId, AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]));
      if (driven === 'ended' && !signal.aborted) await onEnded?.();
    } catch {
      // Its workflow has it, and tries again.
    }
  };
  const one = drive().finally(() => driving.delete(one));
  driving.add(one);
}

/** Of all that this process drives, when it stops. Resolves when none of them uses the database any more. */
export async function stopDriving(): Promise<void> {
  stopping.abort();
  stopping = new AbortController();
  await Promise.all(driving);
}
