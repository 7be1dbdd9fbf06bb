// The rules that score the runs of an agent.
import type { Knex } from 'knex';
import type { EvaluationCheck, EvaluationRuleIn, EvaluationRuleOut } from '#contract/quality/evaluations.ts';
import type { EvaluationRulesRow } from '#db/tables.ts';
import { agentFor, agentNamed } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest, Conflict, NotFound } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { requireUser } from '../../kernel/policy.ts';
import { unreadable } from './readable.ts';

const MAX_RULES = 50;
export async function listRules(ctx: Ctx, i: { name: string }): Promise<{ items: EvaluationRuleOut[] }> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'evaluation_rule.read', i.name);
  return { items: (await evaluationRules(ctx.db, agent_id)).map(presentRule) };
}

export const evaluationRules = (db: Knex, agentId: string): Promise<EvaluationRulesRow[]> =>
  db('evaluation_rules').where({ agent_id: agentId }).orderBy('rule').limit(MAX_RULES);

/**
 * @throws NotFound agent_not_found; BadRequest evaluation_rule_invalid; Conflict too_many_evaluation_rules
 */
export async function putRule(ctx: Ctx, i: { name: string; rule: string } & EvaluationRuleIn): Promise<EvaluationRuleOut> {
  const why = await unreadable(requireUser(ctx, 'evaluation_rule.put').user_id, i.check);
  if (why !== undefined) throw new BadRequest('evaluation_rule_invalid', why);
  return act(ctx, 'evaluation_rule.put', agentNamed(i.name), async (ctx, { agent_id }) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const others = await ctx.db('evaluation_rules').where({ agent_id }).whereNot({ rule: i.rule }).limit(MAX_RULES).select('rule');
    if (others.length >= MAX_RULES) throw new Conflict('too_many_evaluation_rules', `${i.name} has ${MAX_RULES} evaluation rules: delete one first`);
    const set = {
      check: storableJson(i.check),
      kind: i.check.kind,
      skills: i.skills,
      sample: i.sample,
      enabled: i.enabled,
      updated_at: new Date(ctx.clock()),
    };
    const [row] = await ctx.db('evaluation_rules').insert({ agent_id, rule: i.rule, ...set }).onConflict(['agent_id', 'rule']).merge().returning('*'); // prettier-ignore
    if (!row) throw new Error('a rule was not written');
    return done({ agent: agent_id }, { rule: i.rule, kind: i.check.kind }, presentRule(row));
  });
}

/** @throws NotFound evaluation_rule_not_found */
export async function deleteRule(ctx: Ctx, i: { name: string; rule: string }): Promise<void> {
  await act(ctx, 'evaluation_rule.delete', agentNamed(i.name), async (ctx, { agent_id }) => {
    const gone = await ctx.db('evaluation_rules').where({ agent_id, rule: i.rule }).delete();
    if (gone === 0) throw new NotFound('evaluation_rule_not_found', `${i.name} has no evaluation rule ${i.rule}`);
    await ctx.db('run_scores').where({ agent_id, rule: i.rule }).delete();
    return done({ agent: agent_id }, { rule: i.rule });
  });
}

// Safe: only putRule writes it, parsed.
export const checkOf = (row: Pick<EvaluationRulesRow, 'check'>): EvaluationCheck => row.check as EvaluationCheck;

function presentRule(row: EvaluationRulesRow): EvaluationRuleOut {
  const { rule, skills, sample, enabled } = row;
  return { rule, check: checkOf(row), skills, sample, enabled, updated_at: row.updated_at.toISOString() };
}
