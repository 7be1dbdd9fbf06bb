// Runs of the studio as their owner sees them.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { Knex } from 'knex';
import { MAX_STUDIO_CALLS, type StudioIterationOut, type StudioRunOut, type StudioTrialOut } from '#contract/studio/studio-brief.ts';
import type { StudioIterationsRow, StudioRunsRow } from '#db/tables.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound, storedFault } from '../../kernel/errors.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { followJob } from '../../runs/job/read.ts';
import { briefIn, findingsIn, nextIn } from './row.ts';
import { studioSpending } from './spent.ts';

/** @throws NotFound studio_run_not_found */
async function studioRunFor(ctx: Ctx, runId: string): Promise<StudioRunsRow> {
  const row = await ctx.db('studio_runs as s').where('s.run_id', runId).where(whereMay(ctx.actor, 'studio.read', { owner: 's.owner_id' })).first('s.*'); // prettier-ignore
  if (!row) throw new NotFound('studio_run_not_found', `You have no run of the studio ${runId}: list yours with svc studio list`);
  return row;
}

export async function readRun(ctx: Ctx, i: { run_id: string }): Promise<StudioRunOut> {
  const [shown] = await presentRuns(ctx, [await studioRunFor(ctx, i.run_id)]);
  if (!shown) throw new Error('a run was not presented');
  return shown;
}

/**
 * Ends after the last event, or when `signal` aborts. @throws NotFound studio_run_not_found, job_not_found
 */
export async function followStudioRun(ctx: Ctx, i: { run_id: string; after: number; signal: AbortSignal }): ReturnType<typeof followJob> {
  const { job_id } = await studioRunFor(ctx, i.run_id);
  return followJob(ctx, { ...i, job_id: job_id ?? '' });
}

/** Newest first. */
export async function listStudioRuns(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<StudioRunOut>> {
  requireUser(ctx, 'studio.read');
  const query = ctx
    .db('studio_runs as s')
    .select('s.*')
    .where(whereMay(ctx.actor, 'studio.read', { owner: 's.owner_id' }));
  const { items, next_cursor } = await newestPage(query, ['s.created_at', 's.run_id'], i, (row: StudioRunsRow) => row);
  return { items: await presentRuns(ctx, items), next_cursor };
}

async function presentRuns(ctx: Ctx, rows: readonly StudioRunsRow[]): Promise<StudioRunOut[]> {
  const ids = rows.map(({ run_id }) => run_id);
  const iterations = Map.groupBy(await ctx.db('studio_iterations').whereIn('run_id', ids).orderBy('number'), ({ run_id }) => run_id); // prettier-ignore
  const calls = await callsOf(ctx.db, ids);
  const spent = await studioSpending(ctx.db, ids);
  return rows.map((row) => {
    const brief = briefIn(row);
    const made = calls.get(row.run_id) ?? [];
    return {
      run_id: row.run_id,
      job_id: row.job_id,
      plan_id: row.plan_id,
      name: brief.name,
      goal: brief.goal,
      state: row.state,
      decision: row.decision,
      agents: row.agents,
      recipe: row.recipe,
      model: row.model,
      review: brief.review,
      iterations: (iterations.get(row.run_id) ?? []).map(presentIteration),
      deploy_id: row.deploy_id,
      url: row.deploy_id === null ? null : agentUrl(ctx.config, brief.name),
      trials: made.map(({ trial }) => trial),
      challenge_job_id: row.challenge_job_id,
      calls: { made: made.length, most: MAX_STUDIO_CALLS },
      spent_micros: spent.get(row.run_id) ?? 0,
      budget_micros: brief.budget_cents * MICROS_OF_A_CENT,
      next: nextIn(row),
      error: storedFault(row.error),
      created_at: row.created_at.toISOString(),
      deadline_at: row.deadline_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
    };
  });
}

const presentIteration = (row: StudioIterationsRow): StudioIterationOut => ({
  number: row.number,
  commit: row.commit,
  written_by: row.written_by,
  checks: row.checks,
  message: row.message,
  findings: findingsIn(row),
  created_at: row.created_at.toISOString(),
});

interface CallRow {
  run_id: string;
  skill: string;
  child_run_id: string;
  state: StudioTrialOut['state'];
  good: boolean | null;
  reason: string | null;
  receipt_id: string | null;
}

async function callsOf(db: Knex, ids: readonly string[]): Promise<Map<string, { trial: StudioTrialOut }[]>> {
  const rows: CallRow[] = await db('studio_calls as c')
    .leftJoin('runs as r', 'r.run_id', 'c.child_run_id')
    .whereIn('c.run_id', ids)
    .orderBy('c.number')
    .select('c.run_id', 'c.skill', 'c.child_run_id', 'c.good', 'c.reason', 'r.receipt_id', db.raw(`coalesce(r.state, 'failed') as state`));
  return Map.groupBy(
    rows.map(({ run_id, child_run_id, ...row }) => ({ of: run_id, trial: { ...row, run_id: child_run_id } })),
    ({ of }) => of,
  );
}
