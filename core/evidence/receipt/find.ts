// Who may see which receipts: the agent's owner all of them, whoever made a call its own; to others there are none.
import type { Knex } from 'knex';
import type { AgentsRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';

export type ReceiptAgent = Pick<AgentsRow, 'agent_id' | 'name' | 'owner_id'> & { listed: boolean };

/** The living agent of that name, whoever may see it. */
export async function agentByName(db: Knex, name: string): Promise<ReceiptAgent | undefined> {
  const row = await db('agents').where({ name }).whereNull('deleted_at').first('agent_id', 'name', 'owner_id', 'visibility', 'live_deploy_id');
  return row && { agent_id: row.agent_id, name: row.name, owner_id: row.owner_id, listed: row.visibility === 'public' && row.live_deploy_id !== null };
}

/** Conditions on `receipts` for what the user may see of the agent. */
export function visibleTo(user: UserActor, agent: ReceiptAgent): { agent_id: string; caller_user_id?: string } {
  return { agent_id: agent.agent_id, ...(agent.owner_id === user.user_id ? {} : { caller_user_id: user.user_id }) };
}

export function noSuchAgent(name: string): NotFound {
  return new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
}
