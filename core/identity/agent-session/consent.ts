// A person says once, to each agent, that it may learn who they are; until then no page can hand them over,
// and they can take it back.
import type { Knex } from 'knex';
import { requireUser } from '../../kernel/policy.ts';
import { agentForPerson } from '../../agents/agent/find.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';

export interface Consent {
  agent: string;
  createdAt: Date;
}

export async function hasConsent(db: Knex, { userId, agentId }: { userId: string; agentId: string }): Promise<boolean> {
  return (await db('agent_consents').where({ user_id: userId, agent_id: agentId }).first('agent_id')) !== undefined;
}

/** @throws NotFound for an agent that the person cannot see */
export async function giveConsent(ctx: Ctx, { agent: name }: { agent: string }): Promise<void> {
  await act(ctx, 'agent_consent.give', requireUser, async (ctx, user) => {
    const agent = await agentForPerson(ctx.db, user, { own: 'agent_consent.give', member: 'agent.call' }, name);
    const made = await ctx
      .db('agent_consents')
      .insert({ user_id: user.user_id, agent_id: agent.agent_id, created_at: new Date(ctx.clock()) })
      .onConflict(['user_id', 'agent_id'])
      .ignore()
      .returning('agent_id');
    return made.length > 0 ? done({ agent: agent.agent_id }, {}) : unchanged(undefined);
  });
}

/** Sessions at that agent end with it. False when there was none. */
export async function withdrawConsent(ctx: Ctx, { agent: name }: { agent: string }): Promise<boolean> {
  return act(ctx, 'agent_consent.withdraw', requireUser, async (ctx, user) => {
    const [gone] = await ctx
      .db('agent_consents')
      .where({ user_id: user.user_id })
      .whereIn('agent_id', ctx.db('agents').where({ name }).whereNull('deleted_at').select('agent_id'))
      .delete()
      .returning('agent_id');
    if (!gone) return unchanged(false);
    await ctx
      .db('platform_tokens')
      .where({ kind: 'agent_session', user_id: user.user_id, agent_id: gone.agent_id })
      .whereNull('revoked_at')
      .update({ revoked_at: new Date(ctx.clock()) });
    return done({ agent: gone.agent_id }, {}, true);
  });
}

/** Of agents that are still there, by name; 500 at most. */
export async function listConsents(ctx: Ctx): Promise<Consent[]> {
  const { user_id } = requireUser(ctx, 'agent_consent.list');
  const rows = await ctx
    .db('agent_consents as c')
    .join('agents as a', 'a.agent_id', 'c.agent_id')
    .where({ 'c.user_id': user_id })
    .whereNull('a.deleted_at')
    .orderBy('a.name')
    .limit(500)
    .select('a.name', 'c.created_at');
  return rows.map((row) => ({ agent: row.name, createdAt: row.created_at }));
}
