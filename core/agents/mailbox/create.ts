import type { z } from 'zod';
import type { AgentMailboxIn, AgentMailboxOut } from '#contract/agents/agent-mailboxes.ts';
import { agentNamed } from '../agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { mailboxOf } from './find.ts';
import { openMailbox, senders, startProvisioning } from './open.ts';
import { presentMailbox } from './present.ts';

/**
 * A failed mailbox is tried again; a removed one is created again. @throws Conflict mailbox_exists, and as
 * openMailbox
 */
export async function createMailbox(
  ctx: Ctx,
  i: { name: string; mailbox?: z.infer<typeof AgentMailboxIn> | null | undefined },
): Promise<z.infer<typeof AgentMailboxOut>> {
  return act(ctx, 'mailbox.create', agentNamed(i.name), async (ctx, agent) => {
    // Two that come at once are handled one after the other.
    await ctx.db('agents').where({ agent_id: agent.agent_id }).forUpdate().first('agent_id');
    const known = await mailboxOf(ctx.db, agent.agent_id, true);
    if (known && known.state !== 'removed' && known.state !== 'failed')
      throw new Conflict('mailbox_exists', `${i.name} has the mailbox ${known.address}: change it with "svc mailbox set ${i.name}"`);
    const allowed = i.mailbox?.allowed_senders ?? [];
    let row = known;
    if (known?.state === 'failed') {
      [row] = await ctx
        .db('mailboxes')
        .where({ mailbox_id: known.mailbox_id, state: 'failed' })
        .update({ state: 'pending', error: null, updated_at: new Date(ctx.clock()), ...(i.mailbox && { allowed_senders: senders(allowed) }) })
        .returning('*');
      if (row) await startProvisioning(ctx, row, agent);
    } else row = await openMailbox(ctx, { agent, allowed });
    if (!row) throw new Error('a mailbox that was locked has changed');
    const shown = await presentMailbox(ctx.db, row, agent, ctx.clock());
    return done({ mailbox: row.mailbox_id }, { agent_id: agent.agent_id, address: row.address }, shown);
  });
}
