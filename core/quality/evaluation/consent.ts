// Callers who let the owner of an agent keep their runs as examples.
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import { requireUser } from '../../kernel/policy.ts';

const MOST = 1_000;

export async function listEvaluationConsents(ctx: Ctx): Promise<{ items: { agent: string; created_at: string }[] }> {
  const { user_id } = requireUser(ctx, 'evaluation.list_consents');
  const rows = await ctx
    .db('evaluation_consents as c')
    .join('agents as a', 'a.agent_id', 'c.agent_id')
    .where({ 'c.user_id': user_id })
    .orderBy('a.name')
    .limit(MOST)
    .select<{ name: string; created_at: Date }[]>('a.name', 'c.created_at');
  return { items: rows.map(({ name, created_at }) => ({ agent: name, created_at: created_at.toISOString() })) };
}

/** @throws NotFound agent_not_found */
export async function giveEvaluationConsent(ctx: Ctx, i: { agent: string }): Promise<void> {
  await act(ctx, 'evaluation.consent', requireUser, async (ctx, { user_id }) => {
    const { agent_id } = await agentFor(ctx.db, ctx.actor, 'evaluation.consent', i.agent);
    await ctx.db('evaluation_consents').insert({ user_id, agent_id, created_at: new Date(ctx.clock()) }).onConflict(['user_id', 'agent_id']).ignore(); // prettier-ignore
    return done({ agent: agent_id }, { given: true });
  });
}

/**
 * Also for an agent that the person can no longer see. Deletes what was made of the person's runs; results of
 * evaluations keep only their score.
 */
export async function withdrawEvaluationConsent(ctx: Ctx, i: { agent: string }): Promise<void> {
  await act(ctx, 'evaluation.consent', requireUser, async (ctx, { user_id }) => {
    const agent = await ctx.db('agents').where({ name: i.agent }).first('agent_id', 'owner_id');
    if (!agent) return unchanged(undefined);
    const { agent_id } = agent;
    const withdrawn = await ctx.db('evaluation_consents').where({ user_id, agent_id }).delete();
    // Nothing was kept without one, and strangers write nothing into the agent's audit log.
    if (withdrawn === 0) return unchanged(undefined);
    // Their own agents' examples are theirs anyway.
    if (agent.owner_id !== user_id) {
      const items = ctx.db('dataset_items as i').join('datasets as d', 'd.dataset_id', 'i.dataset_id').where({ 'd.agent_id': agent_id, 'i.user_id': user_id });
      const ids = (await items.select<{ item_id: string }[]>('i.item_id')).map(({ item_id }) => item_id);
      await ctx.db('dataset_items').whereIn('item_id', ids).delete();
      await ctx.db('evaluation_results').whereIn('item_id', ids).update({ args: '{}', has_expected: false, expected: null });
    }
    return done({ agent: agent_id }, { given: false });
  });
}
