import type { agentMailboxes } from '#contract/agents/agent-mailboxes.ts';
import { createMailbox } from '#core/agents/mailbox/create.ts';
import { listMailboxEvents } from '#core/agents/mailbox/events.ts';
import { getMailbox } from '#core/agents/mailbox/get.ts';
import { mailboxHealth } from '#core/agents/mailbox/health.ts';
import { removeMailbox } from '#core/agents/mailbox/remove.ts';
import { updateMailbox } from '#core/agents/mailbox/update.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentMailboxRoutes: Handlers<typeof agentMailboxes> = {
  get: (ctx, { params }) => getMailbox(ctx, params),
  create: (ctx, { params, body }) => createMailbox(ctx, { ...params, mailbox: body }),
  update: (ctx, { params, body }) => updateMailbox(ctx, { ...params, ...body }),
  remove: (ctx, { params }) => removeMailbox(ctx, params),
  events: (ctx, { params, query }) => listMailboxEvents(ctx, { ...params, ...query }),
  health: (ctx) => mailboxHealth(ctx),
};
