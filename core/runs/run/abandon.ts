// A run whose workflow ended without a result (by an operator's hand): nobody drives it any more, so it ends.
import type { Fault } from '../../agents/deployment/model.ts';
import type { Ctx } from '../../ctx.ts';
import { stopAt } from './drive.ts';
import { failure } from './end-of-run.ts';
import { finishRun } from './finish.ts';
import { openRun, placeOf } from './open-run.ts';

export async function abandonRun(ctx: Ctx, job: { input: unknown }, fault: Fault): Promise<void> {
  const runId = runIdOf(job.input);
  const run = runId === undefined ? undefined : await openRun(ctx, runId);
  if (!run) return;
  const place = run.row.asked_process === null ? undefined : await placeOf(ctx, run);
  if (place) await stopAt(ctx, run, place);
  await finishRun(ctx, run.row.run_id, failure(fault.code, fault.message));
}

function runIdOf(input: unknown): string | undefined {
  return typeof input === 'object' && input !== null && 'run_id' in input && typeof input.run_id === 'string' ? input.run_id : undefined;
}
