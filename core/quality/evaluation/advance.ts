// Brings evaluations forward: starts examples, a few at a time, and scores those whose run has ended.
import { type Score, scoreExpected, type ScoredRun } from '#contract/quality/score.ts';
import type { ScoreOut } from '#contract/quality/evaluations.ts';
import type { EvaluationResultsRow, EvaluationsRow, RunsRow } from '#db/tables.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { DomainError, faultOf, storedFault } from '../../kernel/errors.ts';
import { LEASE_ACTIVE, leaseTimes } from '../../kernel/lease.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { storableJson } from '../../kernel/storable.ts';
import { together } from '../../kernel/act.ts';
import { startRun } from '../../runs/durable/start.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { judgeResult } from './judge.ts';
import { checkOf, evaluationRules } from './rules.ts';
import { scored } from './score.ts';
import { resultIn } from '../../runs/run/outcome.ts';

/** The score that an example's own result gives. */
const EXPECTED = 'expected';
const AT_ONCE = 4;
/** A worker that dies is followed by another after this time. */
const HOLD_MS = 120_000;
/** An example that takes longer is cancelled. */
const MAX_RUN_MS = 600_000;

type ClaimedEvaluation = Pick<EvaluationsRow, 'evaluation_id' | 'agent_id' | 'deploy_id' | 'created_by'> & { agent: string; owner_id: string };

export async function advanceEvaluations(ctx: Ctx): Promise<void> {
  const now = ctx.clock();
  const { rows } = await ctx.db.raw<{ rows: ClaimedEvaluation[] }>(
    `with held as (
       update evaluations e set held_until = :until
       where evaluation_id in (
         select evaluation_id from evaluations where state = 'running' and not (${LEASE_ACTIVE}) for update skip locked limit 20
       ) returning e.evaluation_id, e.agent_id, e.deploy_id, e.created_by
     )
     select h.*, a.name as agent, a.owner_id from held h join agents a on a.agent_id = h.agent_id`,
    leaseTimes(now, HOLD_MS),
  );
  await Promise.all(rows.map((one) => advance(ctx, one)));
}

async function advance(ctx: Ctx, of: ClaimedEvaluation): Promise<void> {
  const where = { evaluation_id: of.evaluation_id };
  const running = await ctx.db('evaluation_results').where({ ...where, state: 'running' });
  for (const result of running) await take(ctx, of, result);
  const under = await ctx.db('evaluation_results').where({ ...where, state: 'running' }).select('item_id'); // prettier-ignore
  const next = await ctx.db('evaluation_results').where({ ...where, state: 'queued' }).orderBy('item_id').limit(AT_ONCE - under.length); // prettier-ignore
  for (const result of next) await begin(ctx, of, result);
  await ctx.db.raw(
    `update evaluations e set held_until = null,
       state = case when state = 'running' and not left_over.any then 'succeeded' else state end,
       ended_at = case when state = 'running' and not left_over.any then :now else ended_at end
     from (select exists (select 1 from evaluation_results where evaluation_id = :id and state <> 'done') as any) left_over where e.evaluation_id = :id`,
    { id: of.evaluation_id, now: new Date(ctx.clock()) },
  );
}

/** The key is the example's: what is begun again after a crash is the run that was begun before. */
async function begin(ctx: Ctx, of: ClaimedEvaluation, { evaluation_id, item_id, skill, args }: EvaluationResultsRow): Promise<void> {
  const row = { evaluation_id, item_id };
  try {
    // startRun asks whether the starter of the evaluation may call the agent.
    await together({ ...ctx, actor: { kind: 'platform', service: 'evaluations' } }, async (ctx) => {
      // Safe: an object, by the schema of examples.
      const given = args as Record<string, unknown>;
      const { run_id } = await startRun(ctx, { userId: of.created_by, agent: of.agent, skill, args: given, purpose: 'evaluation', title: `Evaluation: ${of.agent}.${skill}`, idempotencyKey: `evaluation:${evaluation_id}:${item_id}` }); // prettier-ignore
      await ctx.db('evaluation_results').where({ ...row, state: 'queued' }).update({ state: 'running', run_id }); // prettier-ignore
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // It stays queued until another run has ended.
    if (error.code !== 'too_many_runs') await done(ctx, row, [], faultOf(error));
  }
}

async function take(ctx: Ctx, of: ClaimedEvaluation, result: EvaluationResultsRow): Promise<void> {
  const run = await ctx
    .db('runs')
    .where({ run_id: result.run_id ?? '' })
    .first();
  if (!run) return done(ctx, result, [], { code: 'run_not_found', message: 'The run no longer exists' });
  const job = await jobOfRun(ctx.db, run.run_id);
  if (isOpenRun(run)) {
    const waits = run.state === 'waiting';
    if (!waits && run.started_at.getTime() + MAX_RUN_MS > ctx.clock()) return;
    const actor: UserActor = { kind: 'user', user_id: of.created_by, email: '', operator: false, via: 'bearer' };
    if (job) await cancelJob({ ...ctx, actor }, { job_id: job.job_id }).catch(() => undefined);
    const error = waits
      ? { code: 'asked_a_person', message: 'It asks a person: give the example arguments with which it does not' }
      : { code: 'run_too_long', message: `It did not end within ${MAX_RUN_MS / 60_000} minutes` };
    return done(ctx, result, [], error);
  }
  if (run.deploy_id !== of.deploy_id)
    return done(ctx, result, [], { code: 'version_changed', message: 'Another version became live meanwhile: start the evaluation again' });
  const facts = await factsOf(ctx, run, job?.output, storedFault(job?.error));
  await done(ctx, result, await scoresOf(ctx, of, result, run, facts), 'error' in (facts.outcome ?? {}) ? storedFault(job?.error) : null);
}

async function factsOf(ctx: Ctx, run: RunsRow, output: unknown, error: { code: string; message: string } | null): Promise<ScoredRun> {
  const uses = await ctx.db('llm_usage').where({ run_id: run.run_id }).select('cost_micros');
  const costs = uses.map(({ cost_micros }) => cost_micros);
  return {
    outcome: run.state === 'succeeded' ? { result: resultIn(output) } : { error: error ?? { code: run.state } },
    latencyMs: run.ran_ms || (run.ended_at?.getTime() ?? 0) - run.started_at.getTime(),
    costMicros: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}

/** Every enabled rule of the skill, whatever its sample; and the example's own result. */
async function scoresOf(ctx: Ctx, of: ClaimedEvaluation, result: EvaluationResultsRow, run: RunsRow, facts: ScoredRun): Promise<ScoreOut[]> {
  const scores: ScoreOut[] = result.has_expected ? [{ rule: EXPECTED, ...scoreExpected(result.expected, facts) }] : [];
  for (const rule of await evaluationRules(ctx.db, of.agent_id)) {
    if (!rule.enabled || (rule.skills.length > 0 && !rule.skills.includes(run.skill))) continue;
    const check = checkOf(rule);
    const given =
      check.kind === 'judge' && facts.outcome && 'result' in facts.outcome
        ? await judgeResult(ctx, check, { ownerId: of.owner_id, agentName: of.agent, args: run.args, result: facts.outcome.result })
        : await scored(of.owner_id, check, facts);
    if (given) scores.push({ rule: rule.rule, ...given });
  }
  return scores;
}

/** An example passes when every score does; where nothing scores it, when its run succeeded. */
async function done(
  ctx: Ctx,
  { evaluation_id, item_id }: Pick<EvaluationResultsRow, 'evaluation_id' | 'item_id'>,
  scores: readonly ({ rule: string } & Score)[],
  error: object | null,
): Promise<void> {
  const passed = error === null && scores.every((score) => score.passed === true);
  const set = { state: 'done' as const, passed, scores: storableJson(scores), error: error && storableJson(error) };
  await ctx.db('evaluation_results').where({ evaluation_id, item_id }).whereNot({ state: 'done' }).update(set); // prettier-ignore
}
