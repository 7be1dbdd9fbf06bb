// Finding an agent for an actor: what they may not touch answers as if it were not there.
import type { Knex } from 'knex';
import { actingForOwner } from '../../kernel/acting.ts';
import type { Actor, UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type Action, rowsThatMay } from '../../kernel/policy.ts';
import { type AgentView, agentColumns, selectAgents } from './select.ts';

/** @throws NotFound agent_not_found */
export async function agentFor(db: Knex, actor: Actor, action: Action, name: string): Promise<AgentView> {
  const { sql, bindings } = rowsThatMay(actor, action, agentColumns);
  const [agent] = await selectAgents(db, `a.name = :name and ${sql}`, { name, ...bindings });
  if (!agent) throw noSuchAgent(name);
  return agent;
}

/**
 * As agentFor, for a person at an agent's own door: where they have no right of their own, as a member of the organization that it belongs to.
 * @throws NotFound agent_not_found
 */
export async function agentForPerson(db: Knex, user: UserActor, action: { own: Action; member: Action }, name: string): Promise<AgentView> {
  try {
    return await agentFor(db, user, action.own, name);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const agent = await db('agents').where({ name }).whereNull('deleted_at').first('owner_id');
    const member = agent && (await actingForOwner(db, user, agent.owner_id));
    if (!member) throw error;
    return agentFor(db, member, action.member, name);
  }
}

export function noSuchAgent(name: string): NotFound {
  return new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
}
