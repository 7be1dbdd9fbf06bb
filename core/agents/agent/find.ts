// Finding an agent for an actor: what they may not touch answers as if it were not there.
import type { Knex } from 'knex';
import type { Actor } from '../../kernel/ctx.ts';
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

export function noSuchAgent(name: string): NotFound {
  return new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
}
