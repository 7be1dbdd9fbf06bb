// The next steps of a contestant; each may come twice. Only its rows say how far it is.
import type { Knex } from 'knex';
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { isTerminal } from '../../jobs/model.ts';
import { type Advanced, markRunning } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { spentOn } from '../../runs/run/spent.ts';
import { askTrialModel } from './ask-model.ts';
import { beginCase } from './begin-case.ts';
import { endTrial } from './end.ts';
import { type TrialRunRow, selectTrialRuns, roomSpecIn } from './row.ts';
import { takeCase } from './take-case.ts';

/** Cases of one contestant that run at the same time. */
const AT_ONCE = 4;

export async function advanceTrial(ctx: Ctx, jobId: string, signal: AbortSignal): Promise<Advanced> {
  if (await markRunning(ctx.db, jobId)) await appendEvent(ctx.db, jobId, 'trial.began', {});
  const [run] = await selectTrialRuns(ctx.db).where({ 't.job_id': jobId });
  if (!run || run.ended_at !== null || isTerminal(run.state)) return 'ended';
  const room = await ctx.db('trial_rooms').where({ room_id: run.room_id }).first('spec');
  if (!room) return 'ended';
  const spec = roomSpecIn(room);
  const where = { run_id: run.run_id };
  let open = 0;
  for (const result of await ctx.db('trial_results').where({ ...where, state: 'running' })) {
    signal.throwIfAborted();
    if (!(await takeCase(ctx, run, spec, result, signal))) open += 1;
  }
  if (run.deadline_at.getTime() <= ctx.clock()) return end(ctx, run, 'trial_late', 'It did not answer every case by its deadline');
  const spent = await spentMicros(ctx.db, run);
  if (spent > spec.max_cost_cents * MICROS_OF_A_CENT)
    return end(
      ctx,
      run,
      'trial_over_budget',
      `Its answers cost ${(spent / MICROS_OF_A_CENT).toFixed(1)} cents, more than the ${spec.max_cost_cents} of the room`,
    );
  const next = await ctx.db('trial_results').where({ ...where, state: 'queued' }).orderBy('case_no').limit(run.model === null ? AT_ONCE - open : 1); // prettier-ignore
  for (const result of next) {
    signal.throwIfAborted();
    if (run.model !== null) await askTrialModel(ctx, run, spec, result, signal);
    else if (!(await beginCase(ctx, run, spec, result))) return 'waits';
  }
  if (next.length > 0) return 'again';
  if (open > 0) return 'waits';
  await endTrial(ctx, jobId);
  return 'ended';
}

/**
 * Micro-dollars of all cases so far, those under way among them. A model that answers has no run: its case
 * says what it cost.
 */
async function spentMicros(db: Knex, { run_id }: TrialRunRow): Promise<number> {
  const results = await db('trial_results').where({ run_id }).whereNot({ state: 'queued' }).select('child_run_id', 'cost_micros'); // prettier-ignore
  const { micros } = await spentOn(db, results.flatMap(({ child_run_id }) => child_run_id ?? [])); // prettier-ignore
  return results.reduce((sum, { child_run_id, cost_micros }) => sum + (child_run_id === null ? (cost_micros ?? 0) : 0), micros);
}

async function end(ctx: Ctx, { job_id }: TrialRunRow, code: string, message: string): Promise<'ended'> {
  await endTrial(ctx, job_id ?? '', { code, message });
  return 'ended';
}
