// Finding an agent for an actor: what they may not touch answers as if it were not there.
import type { Knex } from 'knex';
import { actingForOwner } from '../../accounts/acting.ts';
import type { Actor, Ctx, UserActor } from '../../kernel/ctx.ts';
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

/** The subject of an action (core/kernel/act.ts): as agentFor, for who acts. */
export function agentNamed(name: string) {
  return (ctx: Pick<Ctx, 'db' | 'actor'>, action: Action): Promise<AgentView> => agentFor(ctx.db, ctx.actor, action, name);
}

/**
 * As agentFor, for a person at an agent's own door: where they have no right of their own, as a member of the
 * organization that it belongs to. Who is limited to an organization is known only to its agents.
 * @throws NotFound agent_not_found
 */
export async function agentForPerson(db: Knex, user: UserActor, action: { own: Action; member: Action }, name: string): Promise<AgentView> {
  const own = user.limited_to === undefined ? await ifThere(agentFor(db, user, action.own, name)) : undefined;
  if (own) return own;
  const agent = await db('agents').where({ name }).whereNull('deleted_at').first('owner_id');
  const member = agent && (await actingForOwner(db, user, agent.owner_id));
  if (!member) throw noSuchAgent(name);
  return agentFor(db, member, action.member, name);
}

async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

export function noSuchAgent(name: string): NotFound {
  return new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
}
