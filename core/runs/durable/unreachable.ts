// Ends a run whose agent could not be reached for a day; a run that waits for a user is not one.
import type { Ctx } from '../../kernel/ctx.ts';
import { longAgo } from '../../kernel/lease.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { failedBecause } from '../run/outcome.ts';
import { endDurableRun } from './end.ts';

/** Seconds. */
export const UNREACHABLE_AFTER = 24 * 3_600;

/**
 * Whether nothing of the run was recorded for a day. How long ago it began says nothing: it may have worked
 * until now.
 */
export async function isSilent({ db }: Ctx, runId: string): Promise<boolean> {
  const job = await jobOfRun(db, runId);
  if (!job) return true;
  const last = db('job_events').where({ job_id: job.job_id }).orderBy('seq', 'desc').limit(1).select('at');
  const heard = await db
    .from(last.as('last'))
    .whereRaw(`not ${longAgo('at', UNREACHABLE_AFTER)}`)
    .first('at');
  return heard === undefined;
}

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
