// Ends a run whose agent could not be reached for a day; a run that waits for a user is not one.
import type { Ctx } from '../../kernel/ctx.ts';
import { failedBecause } from '../run/outcome.ts';
import { endDurableRun } from './end.ts';

export async function endUnreachableRun(ctx: Ctx, runId: string): Promise<void> {
  await endDurableRun(
    ctx,
    runId,
    failedBecause('agent_unreachable', 'The agent could not be reached for a day: see its logs and deployments, and start the run again'),
  );
}

export async function isWaiting(ctx: Ctx, runId: string): Promise<boolean> {
  const row = await ctx.db('runs').where({ run_id: runId }).first('state');
  return row?.state === 'waiting';
}
