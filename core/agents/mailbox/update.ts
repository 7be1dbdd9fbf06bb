import type { z } from 'zod';
import type { AgentMailboxOut, AgentMailboxPatchIn } from '#contract/agents/agent-mailboxes.ts';
import type { MailboxState } from '#contract/states.ts';
import type { MailboxesRow } from '#db/tables.ts';
import { agentNamed } from '../agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { requireMailbox } from './find.ts';
import { senders } from './open.ts';
import { presentMailbox } from './present.ts';

/** @throws NotFound mailbox_not_found, also for one that was removed; Conflict mailbox_not_ready */
export async function updateMailbox(ctx: Ctx, i: { name: string } & z.infer<typeof AgentMailboxPatchIn>): Promise<z.infer<typeof AgentMailboxOut>> {
  return act(ctx, 'mailbox.update', agentNamed(i.name), async (ctx, agent) => {
    const known = await requireMailbox(ctx.db, agent, true);
    if (known.state === 'removed')
      throw new NotFound('mailbox_not_found', `The mailbox of ${i.name} was removed: create it with "svc mailbox create ${i.name}"`);
    const state = stateAfter(known, i.enabled);
    const [row] = await ctx
      .db('mailboxes')
      .where({ mailbox_id: known.mailbox_id, state: known.state })
      .update({ state, updated_at: new Date(ctx.clock()), ...(i.allowed_senders && { allowed_senders: senders(i.allowed_senders) }) })
      .returning('*');
    if (!row) throw new Error('a mailbox that was locked has changed');
    const shown = await presentMailbox(ctx.db, row, agent, ctx.clock());
    return done({ mailbox: row.mailbox_id }, { agent_id: agent.agent_id, state, senders: row.allowed_senders.length }, shown);
  });
}

function stateAfter({ state, address }: MailboxesRow, enabled: boolean | undefined): MailboxState {
  if (enabled === undefined || (enabled && state === 'ready') || (!enabled && state === 'disabled')) return state;
  if (state === 'ready' || state === 'disabled') return enabled ? 'ready' : 'disabled';
  throw new Conflict('mailbox_not_ready', `${address} is ${state}: it can be enabled and disabled once it is ready`);
}
