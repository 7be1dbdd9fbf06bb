// To whom a grant may be addressed: an agent that the one who gives it can see.
import type { Knex } from 'knex';
import type { RunActor, UserActor } from '../../kernel/ctx.ts';
import { visibleAgent } from '../../agents/agent/find.ts';
import { selectAgents } from '../../agents/agent/select.ts';
import { NotFound } from '../../kernel/errors.ts';

export async function checkAudience(db: Knex, giver: UserActor | RunActor, name: string): Promise<void> {
  if (giver.kind === 'user') {
    await visibleAgent(db, giver, name);
    return;
  }
  const [agent] = await selectAgents(db, "a.name = :name and (a.owner_id = :owner or (a.visibility = 'public' and a.live_deploy_id is not null))", {
    name,
    owner: giver.owner_id,
  });
  if (!agent) throw new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
}
