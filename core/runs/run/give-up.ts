// Runs that nothing can be heard of, and those that wait.
import type { Ctx } from '../../ctx.ts';
import { failure } from './end-of-run.ts';
import { finishRun } from './finish.ts';

export async function giveUpRun(ctx: Ctx, runId: string): Promise<void> {
  await finishRun(ctx, runId, failure('agent_unreachable', 'The agent could not be reached for a day: see its logs and deployments, and start the run again'));
}

export async function standsStill(ctx: Ctx, runId: string): Promise<boolean> {
  const row = await ctx.db('runs').where({ run_id: runId }).first('state');
  return row?.state === 'waiting';
}
