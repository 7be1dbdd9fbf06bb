// To whom a grant may be addressed: an agent that the one who gives it may call.
import type { Knex } from 'knex';
import type { RunActor, UserActor } from '../../kernel/ctx.ts';
import { agentFor } from '../../agents/agent/find.ts';

/** @throws NotFound agent_not_found */
export async function checkAudience(db: Knex, giver: UserActor | RunActor, name: string): Promise<void> {
  await agentFor(db, giver, giver.kind === 'user' ? 'agent.read' : 'agent.discover', name);
}
