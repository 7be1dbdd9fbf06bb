// Who may see which receipts: the agent's owner all of them, a caller those of its calls; for others there
// are none.
import type { Knex } from 'knex';
import type { AgentsRow } from '#db/tables.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { may, whereMay } from '../../kernel/policy.ts';

export type ReceiptAgent = Pick<AgentsRow, 'agent_id' | 'name' | 'owner_id'> & { listed: boolean };

/** The agent of that name that is not deleted. Does not ask who may see it. */
export async function agentByName(db: Knex, name: string): Promise<ReceiptAgent | undefined> {
  const row = await db('agents').where({ name }).whereNull('deleted_at').first('agent_id', 'name', 'owner_id', 'visibility', 'live_deploy_id');
  return row && { agent_id: row.agent_id, name: row.name, owner_id: row.owner_id, listed: row.visibility === 'public' && row.live_deploy_id !== null };
}

/** The rows of `receipts` that the actor may see of the agent. */
export function whereVisible(actor: Actor, agent: ReceiptAgent): (query: Knex.QueryBuilder) => void {
  const all = may(actor, 'receipt.read_all', { owner: agent.owner_id });
  const own = all ? undefined : whereMay(actor, 'receipt.read', { caller: 'caller_user_id' });
  return (query) => {
    void query.where({ agent_id: agent.agent_id });
    own?.(query);
  };
}

/** Whether they may know that there is such an agent. */
export function mayKnow(actor: Actor, agent: ReceiptAgent): boolean {
  return may(actor, 'agent.read', { owner: agent.owner_id, listed: agent.listed });
}
