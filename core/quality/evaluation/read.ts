import type { Knex } from 'knex';
import type { EvaluationDetailOut, EvaluationOut, EvaluationResultOut } from '#contract/quality/evaluations.ts';
import type { EvaluationResultsRow, EvaluationsRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';

const SHOWN = 100;

export async function listEvaluations(ctx: Ctx, i: { name: string; dataset?: string | undefined }): Promise<{ items: EvaluationOut[] }> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'evaluation.read', i.name);
  const of = { agent_id, ...(i.dataset !== undefined && { dataset: i.dataset }) };
  return { items: await presentEvaluations(ctx.db, await ctx.db('evaluations').where(of).orderBy('evaluation_id', 'desc').limit(SHOWN)) };
}

/** @throws NotFound evaluation_not_found */
export async function readEvaluation(ctx: Ctx, i: { name: string; evaluation_id: string }): Promise<EvaluationDetailOut> {
  const row = await evaluationOf(ctx, 'evaluation.read', i);
  const [shown] = await presentEvaluations(ctx.db, [row]);
  if (!shown) throw notFound(i);
  const results = await ctx.db('evaluation_results').where({ evaluation_id: row.evaluation_id }).orderBy('item_id');
  return { ...shown, results: results.map(presentResult) };
}

/** @throws NotFound evaluation_not_found; Conflict evaluation_ended */
export async function cancelEvaluation(ctx: Ctx, i: { name: string; evaluation_id: string }): Promise<EvaluationOut> {
  const row = await act(
    ctx,
    'evaluation.cancel',
    (ctx, action) => evaluationOf(ctx, action, i),
    async (ctx, { evaluation_id }) => {
      const set = { state: 'cancelled' as const, ended_at: new Date(ctx.clock()) };
      const [cancelled] = await ctx.db('evaluations').where({ evaluation_id, state: 'running' }).update(set).returning('*'); // prettier-ignore
      if (!cancelled) throw new Conflict('evaluation_ended', `${evaluation_id} has ended`);
      return done({ evaluation: evaluation_id }, {}, cancelled);
    },
  );
  const [shown] = await presentEvaluations(ctx.db, [row]);
  if (!shown) throw notFound(i);
  return shown;
}

async function evaluationOf(ctx: Ctx, action: 'evaluation.read' | 'evaluation.cancel', i: { name: string; evaluation_id: string }): Promise<EvaluationsRow> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, action, i.name);
  const row = await ctx.db('evaluations').where({ agent_id, evaluation_id: i.evaluation_id }).first();
  if (!row) throw notFound(i);
  return row;
}

const notFound = (i: { name: string; evaluation_id: string }): NotFound =>
  new NotFound('evaluation_not_found', `${i.name} has no evaluation ${i.evaluation_id}`);

export async function presentEvaluations(db: Knex, rows: readonly EvaluationsRow[]): Promise<EvaluationOut[]> {
  const ids = rows.map(({ evaluation_id }) => evaluation_id);
  const { rows: counts } = await db.raw<{ rows: { evaluation_id: string; items: number; done: number; passed: number }[] }>(
    `select evaluation_id, count(*)::int as items, (count(*) filter (where state = 'done'))::int as done, (count(*) filter (where passed))::int as passed
     from evaluation_results where evaluation_id = any(:ids) group by evaluation_id`,
    { ids },
  );
  const { rows: rules } = await db.raw<{ rows: { evaluation_id: string; rule: string; scored: number; passed: number }[] }>(
    `select r.evaluation_id, s->>'rule' as rule, (count(*) filter (where s->>'passed' is not null))::int as scored,
            (count(*) filter (where s->>'passed' = 'true'))::int as passed
     from evaluation_results r, jsonb_array_elements(r.scores) s where r.evaluation_id = any(:ids) group by 1, 2 order by 1, 2`,
    { ids },
  );
  return rows.map((row) => {
    const { evaluation_id, dataset, deploy_id, version, state } = row;
    const { items = 0, done = 0, passed = 0 } = counts.find((one) => one.evaluation_id === evaluation_id) ?? {};
    const own = rules.filter((one) => one.evaluation_id === evaluation_id).map(({ rule, scored, passed: well }) => ({ rule, scored, passed: well }));
    const times = { created_at: row.created_at.toISOString(), ended_at: row.ended_at?.toISOString() ?? null };
    // Safe: a Fault, as it was stored.
    return { evaluation_id, dataset, deploy_id, version, state, items, done, passed, rules: own, error: row.error as EvaluationOut['error'], ...times };
  });
}

function presentResult(row: EvaluationResultsRow): EvaluationResultOut {
  const { item_id, skill, state, run_id, passed } = row;
  // Safe: as advance.ts stored them.
  return { item_id, skill, state, run_id, passed, scores: row.scores as EvaluationResultOut['scores'], error: row.error as EvaluationResultOut['error'] };
}
