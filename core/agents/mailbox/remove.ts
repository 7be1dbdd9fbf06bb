import type { Knex } from 'knex';
import { agentNamed } from '../agent/find.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireMailbox } from './find.ts';

/** Twice is once. @throws NotFound mailbox_not_found where there never was one */
export async function removeMailbox(ctx: Ctx, i: { name: string }): Promise<void> {
  await act(ctx, 'mailbox.remove', agentNamed(i.name), async (ctx, agent) => {
    const { mailbox_id } = await requireMailbox(ctx.db, agent);
    if ((await closeMailboxes(ctx.db, agent.agent_id, ctx.clock())) === 0) return unchanged(undefined);
    return done({ mailbox: mailbox_id }, { agent_id: agent.agent_id });
  });
}

/** Its address is unknown with the commit. What waits to be sent is not sent any more. */
export async function closeMailboxes(tx: Knex.Transaction, agentId: string, now: number): Promise<number> {
  return tx('mailboxes')
    .where({ agent_id: agentId })
    .whereNot({ state: 'removed' })
    .update({ state: 'removed', updated_at: new Date(now) });
}
