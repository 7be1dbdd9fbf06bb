// A run whose workflow ended without a result (by an operator's hand): no program drives it, so it ends.
import type { Fault } from '../../kernel/errors.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isDispatched } from '../../kernel/run-state.ts';
import { stopAt } from './drive.ts';
import { failedBecause } from '../run/outcome.ts';
import { endDurableRun } from './end.ts';
import { openRun, placeOfRun } from './open-run.ts';

export async function endOrphanedRun(ctx: Ctx, _jobId: string, fault: Fault, input: unknown): Promise<void> {
  const runId = runIdOf(input);
  const run = runId === undefined ? undefined : await openRun(ctx, runId);
  if (!run) return;
  const place = isDispatched(run.row) ? await placeOfRun(ctx, run) : undefined;
  if (place) await stopAt(ctx, run, place);
  await endDurableRun(ctx, run.row.run_id, failedBecause(fault.code, fault.message));
}

function runIdOf(input: unknown): string | undefined {
  return typeof input === 'object' && input !== null && 'run_id' in input && typeof input.run_id === 'string' ? input.run_id : undefined;
}
