// How a contestant ends: once, with its score over all cases and how it stands against the version before.
import type { Knex } from 'knex';
import type { TrialRunOut } from '#contract/studio/trial-rooms.ts';
import { interval, type Interval } from '#contract/wire/interval.ts';
import { fnv1a } from '#contract/wire/random.ts';
import type { TrialResultsRow, TrialRunsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { endJob, endStateOf } from '../../jobs/long-work.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { askChildrenToStop } from '../../jobs/ask-to-stop.ts';

/** `fault`: what stopped it. Cases without an answer then score nothing. */
export async function endTrial(ctx: Ctx, jobId: string, fault?: Fault): Promise<void> {
  await system(ctx, async (ctx) => {
    const run = await ctx.db('trial_runs').where({ job_id: jobId }).whereNull('ended_at').forUpdate().first();
    if (!run) return;
    const results = await ctx.db('trial_results').where({ run_id: run.run_id }).orderBy('case_no');
    const answered = results.some(({ state }) => state === 'done');
    const score = answered ? interval(scoresOf(results), seedOf(run.room_id)) : null;
    const compared = fault || !score ? null : await against(ctx.db, run, results);
    await ctx
      .db('trial_runs')
      .where({ run_id: run.run_id })
      .update({ ended_at: new Date(ctx.clock()), score: score && storableJson(score), compared: compared && storableJson(compared) });
    await appendEvent(ctx.db, jobId, 'trial.scored', { score, compared });
    await endJob(ctx.db, jobId, { output: { run_id: run.run_id, score, compared }, fault });
    await askChildrenToStop(ctx, jobId);
    await audit(ctx, `trial_run.${endStateOf(fault)}`, { trial_run: run.run_id }, { room_id: run.room_id, score: score?.mean ?? null, code: fault?.code });
  });
}

export const scoresOf = (results: readonly Pick<TrialResultsRow, 'score'>[]): number[] => results.map(({ score }) => score ?? 0);

/** The same samples for every contestant of a room: luck is the same for all. */
export const seedOf = (roomId: string): number => fnv1a(roomId);

/** Case by case; undefined where they have not answered the same cases. */
export function gainOver(seed: number, ours: readonly number[], theirs: readonly number[]): Interval | undefined {
  if (ours.length === 0 || ours.length !== theirs.length) return undefined;
  return interval(
    ours.map((score, at) => score - (theirs[at] ?? 0)),
    seed,
  );
}

/** The last run of another version of the same skill, that came to its end before. */
async function against(tx: Knex.Transaction, run: TrialRunsRow, results: readonly TrialResultsRow[]): Promise<TrialRunOut['compared']> {
  if (run.agent_id === null) return null;
  const before = await tx('trial_runs as t')
    .join('jobs as j', 'j.job_id', 't.job_id')
    .where({ 't.room_id': run.room_id, 't.agent_id': run.agent_id, 't.skill': run.skill, 'j.state': 'succeeded' })
    .whereNot({ 't.deploy_id': run.deploy_id })
    .where('t.number', '<', run.number)
    .orderBy('t.number', 'desc')
    .first('t.run_id');
  if (!before) return null;
  const theirs = await tx('trial_results').where({ run_id: before.run_id }).orderBy('case_no').select('score');
  const gain = gainOver(seedOf(run.room_id), scoresOf(results), scoresOf(theirs));
  if (!gain) return null;
  return { run_id: before.run_id, gain, verdict: gain.low > 0 ? 'better' : gain.high < 0 ? 'worse' : 'same' };
}
