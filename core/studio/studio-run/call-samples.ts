// The live agent is called with samples, in the account of its owner, as any run: a receipt for each.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import { MAX_STUDIO_CALLS } from '#contract/studio/studio-brief.ts';
import type { StudioCallsRow, StudioRunsRow } from '#db/tables.ts';
import { system, together } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError, storedFault } from '../../kernel/errors.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { startRun } from '../../runs/durable/start.ts';
import { askToStop } from '../../jobs/ask-to-stop.ts';
import { scored } from '../../quality/evaluation/score.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import type { Trial } from '../recipe/recipe.ts';
import type { StudioStep } from './advance.ts';
import { mendOrEnd } from './mend.ts';
import { briefIn, lastIteration, trialsIn } from './row.ts';
import { studioRunSpending } from './spent.ts';
import { move } from './step.ts';

export const callSamples: StudioStep = async (ctx, run) => {
  const brief = briefIn(run);
  const iteration = (await lastIteration(ctx.db, run.run_id))?.number ?? 0;
  const trials = brief.account_trial_calls ? trialsIn(run) : [];
  const made = await ctx.db('studio_calls').where({ run_id: run.run_id }).orderBy('number');
  const mine = made.filter((call) => call.iteration === iteration);
  for (const [at, trial] of trials.entries()) {
    const one = mine[at];
    if (one) {
      if (one.good !== null) continue;
      return (await gradeSample(ctx, one, trial)) ? 'again' : 'waits';
    }
    if (made.length >= MAX_STUDIO_CALLS) break;
    if ((await studioRunSpending(ctx.db, run.run_id)) >= brief.budget_cents * MICROS_OF_A_CENT)
      return mendOrEnd(
        ctx,
        run,
        { code: 'studio_over_budget', message: 'The budget of the brief is used up: the rest of the samples is not called' },
        { live: true },
      );
    await call(ctx, run, { number: made.length + 1, iteration, trial });
    return 'waits';
  }
  const bad = mine.filter(({ good }) => good === false);
  if (bad.length > 0) {
    const message = bad.map(({ skill, reason }) => `${skill}: ${reason ?? 'no answer'}`).join('\n');
    return mendOrEnd(ctx, run, { code: 'studio_samples_failed', message: `Samples of the live agent failed:\n${message}` }, { live: true });
  }
  const summary = trials.length === 0 ? 'There are no samples to call it with' : `${trials.length} samples were answered as expected`;
  await move(ctx.db, run, 'reviewing', { actor: 'coordinator', status: 'done', message: summary });
  return 'again';
};

/** The key is the call's: what is begun again after a crash is the run that was begun before. */
async function call(ctx: Ctx, run: StudioRunsRow, i: { number: number; iteration: number; trial: Trial }): Promise<void> {
  const { name } = briefIn(run);
  const row = { run_id: run.run_id, number: i.number, iteration: i.iteration, skill: i.trial.skill };
  try {
    await together(ctx, async (ctx) => {
      const { run_id } = await startRun(ctx, {
        userId: run.owner_id,
        agent: name,
        skill: i.trial.skill,
        args: i.trial.args,
        argsAt: ['args'],
        ...(run.job_id !== null && { parentJobId: run.job_id }),
        title: `Sample: ${name}.${i.trial.skill}`,
        idempotencyKey: `studio:${run.run_id}:${i.number}`,
      });
      await ctx
        .db('studio_calls')
        .insert({ ...row, child_run_id: run_id })
        .onConflict(['run_id', 'number'])
        .ignore();
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // It is called when another run has ended.
    if (error.code === 'too_many_runs') return;
    await ctx.db('studio_calls').insert({ ...row, child_run_id: '', good: false, reason: error.message.slice(0, 1_000) }).onConflict(['run_id', 'number']).ignore(); // prettier-ignore
  }
}

/** False: its run has not ended. A run that asks a user is cancelled: samples have no user to answer. */
async function gradeSample(ctx: Ctx, row: StudioCallsRow, trial: Trial): Promise<boolean> {
  const run = await ctx.db('runs').where({ run_id: row.child_run_id }).first();
  const job = run && (await jobOfRun(ctx.db, run.run_id));
  const judge = (good: boolean, reason: string | null) =>
    ctx
      .db('studio_calls')
      .where({ run_id: row.run_id, number: row.number })
      .update({ good, reason: reason?.slice(0, 1_000) ?? null });
  if (run && isOpenRun(run)) {
    if (run.state !== 'waiting') return false;
    await system(ctx, (ctx) => askToStop(ctx, job, 'studio'));
    await judge(true, 'It asks a person, as it should: the sample ends there');
    return true;
  }
  if (run?.state !== 'succeeded') {
    await judge(false, storedFault(job?.error)?.message ?? 'It ended without an answer');
    return true;
  }
  const reason = trial.expect === undefined ? null : await misfit(run.user_id ?? run.agent_name, resultIn(job?.output), trial.expect);
  await judge(reason === null, reason);
  return true;
}

/** Null: it fits, or cannot be checked. @param author of the samples */
async function misfit(author: string, result: unknown, schema: Record<string, unknown>): Promise<string | null> {
  const given = await scored(author, { kind: 'schema', schema }, { outcome: { result }, latencyMs: 0, costMicros: null });
  return given?.score === 0 ? `Its answer does not fit: ${given.reason ?? 'another shape'}` : null;
}
