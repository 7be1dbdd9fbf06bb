// Cancels a run. Its agent is notified and has a moment to end it, which its skill sees as CancelledByCaller.
// Whatever the agent does, or if it is gone: the run ends.
import type { Ctx } from '../../kernel/ctx.ts';
import { isDispatched } from '../../kernel/run-state.ts';
import { readToEnd, stopAt } from './drive.ts';
import { endDurableRun } from './end.ts';
import { openRun, placeOfRun } from './open-run.ts';

/** For the skill's own clean-up, and to wake a machine that sleeps. */
const graceMs = 15_000;
const CANCELLED = { state: 'cancelled', error: { code: 'cancelled', message: 'The run was cancelled' } } as const;

export async function cancelRun(ctx: Ctx, runId: string): Promise<void> {
  const run = await openRun(ctx, runId);
  if (!run) return;
  const place = isDispatched(run.row) ? await placeOfRun(ctx, run) : undefined;
  if (place) {
    const status = await stopAt(ctx, run, place);
    if (status === 200) await readToEnd(ctx, { run, place }, AbortSignal.timeout(graceMs));
  }
  await endDurableRun(ctx, runId, CANCELLED);
}
