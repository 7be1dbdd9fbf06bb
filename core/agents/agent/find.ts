// Finding an agent for somebody: what they may not see answers as if it were not there.
import type { Knex } from 'knex';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type AgentView, selectAgents } from './select.ts';

export async function ownedAgent(db: Knex, user: UserActor, name: string): Promise<AgentView> {
  const [agent] = await selectAgents(db, 'a.name = :name and a.owner_id = :owner', { name, owner: user.user_id });
  return agent ?? noSuchAgent(name);
}

/** Their own, or a public one that is live. */
export async function visibleAgent(db: Knex, user: UserActor, name: string): Promise<AgentView> {
  const [agent] = await selectAgents(db, "a.name = :name and (a.owner_id = :owner or (a.visibility = 'public' and a.live_deploy_id is not null))", {
    name,
    owner: user.user_id,
  });
  return agent ?? noSuchAgent(name);
}

function noSuchAgent(name: string): never {
  throw new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
}
