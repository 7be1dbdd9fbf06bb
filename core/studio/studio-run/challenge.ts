// The live agent is challenged by a review loop of its own, as strictly as the brief says; a critical finding
// leaves it live and says so.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import { ownerOf } from '../../deploys/repository/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { startLoop } from '../review-loop/start.ts';
import type { StudioStep } from './advance.ts';
import { endStudioRun } from './end.ts';
import { mendOrEnd } from './mend.ts';
import { briefIn } from './row.ts';
import { say } from './step.ts';
import { studioRunSpending } from './spent.ts';

const ROUNDS = { light: 0, standard: 1, strict: 3 } as const;
const LEAST_SECONDS = 30;
const MOST_SECONDS = 900;

export const challenge: StudioStep = async (ctx, run) => {
  const brief = briefIn(run);
  const rounds = ROUNDS[brief.review];
  if (rounds === 0 || !brief.account_trial_calls) return end(ctx, run);
  if (run.challenge_job_id === null) {
    const job_id = await begin(ctx, run, rounds);
    if (job_id === undefined) return end(ctx, run);
    await ctx.db('studio_runs').where({ run_id: run.run_id, state: 'reviewing', challenge_job_id: null }).update({ challenge_job_id: job_id }); // prettier-ignore
    await say(ctx.db, run, 'reviewing', { actor: 'reviewer', status: 'began', message: `It is challenged, ${rounds} round${rounds === 1 ? '' : 's'}`, job_id });
    return 'waits';
  }
  const loop = await ctx.db('review_loops').where({ job_id: run.challenge_job_id }).first('ended_at');
  if (loop && loop.ended_at === null) return 'waits';
  const critical = await ctx.db('agent_findings').where({ job_id: run.challenge_job_id, severity: 'critical', confirmed: true }).limit(5).select('title');
  if (critical.length === 0) return end(ctx, run);
  const message = `The challenge found: ${critical.map(({ title }) => title).join('; ')}`;
  await ctx.db('studio_runs').where({ run_id: run.run_id }).update({ challenge_job_id: null });
  return mendOrEnd(ctx, run, { code: 'studio_challenge_failed', message }, { live: true });
};

/**
 * What is begun again after a crash is the loop that runs already. Undefined: it has no skill that may be
 * called.
 */
async function begin(ctx: Ctx, run: StudioRunsRow, rounds: number): Promise<string | undefined> {
  const { name, budget_cents, model } = briefIn(run);
  const left = budget_cents - Math.ceil((await studioRunSpending(ctx.db, run.run_id)) / MICROS_OF_A_CENT);
  const seconds = Math.floor((run.deadline_at.getTime() - ctx.clock()) / 1000) - LEAST_SECONDS;
  if (seconds < LEAST_SECONDS) return undefined;
  const owner = await ownerOf(ctx.db, run.owner_id);
  const wanted = ReviewLoopIn.parse({
    iterations: rounds,
    budget_cents: model === undefined ? 0 : Math.max(0, left),
    deadline_seconds: Math.min(seconds, MOST_SECONDS),
    model: model !== undefined,
  });
  try {
    return (await startLoop({ ...ctx, actor: owner }, { name, ...wanted })).job_id;
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    if (error.code !== 'review_loop_running') return undefined;
    const running = await ctx.db('review_loops as l').join('agents as a', 'a.agent_id', 'l.agent_id').where({ 'a.name': name }).whereNull('l.ended_at').first('l.job_id'); // prettier-ignore
    return running?.job_id;
  }
}

async function end(ctx: Ctx, run: StudioRunsRow): Promise<'ended'> {
  await endStudioRun(ctx, run.job_id ?? '');
  return 'ended';
}
