import type { z } from 'zod';
import type { AgentMailboxOut } from '#contract/agents/agent-mailboxes.ts';
import { agentFor } from '../agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireMailbox } from './find.ts';
import { presentMailbox } from './present.ts';

export async function getMailbox(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentMailboxOut>> {
  const agent = await agentFor(ctx.db, ctx.actor, 'mailbox.read', i.name);
  return presentMailbox(ctx.db, await requireMailbox(ctx.db, agent), agent, ctx.clock());
}
