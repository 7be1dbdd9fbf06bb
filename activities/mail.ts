// What happens to mailboxes and their mail outside of workflows: thin over core/agents/mailbox and
// core/conversation/mail.
import { failProvisioning as fail, provisionMailbox as provision } from '#core/agents/mailbox/provision.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { deliverMail as deliver, type Delivered } from '#core/conversation/mail/deliver.ts';
import { sendAnswer as send } from '#core/conversation/mail/send.ts';
import { longRunning } from './long-running.ts';

export type MailActivities = ReturnType<typeof createMailActivities>;

export function createMailActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'mail' }, requestId: newId('req', deps.clock()) });
  return {
    /** Null: the mailbox is gone. */
    provisionMailbox: async (mailboxId: string): Promise<string | null> => (await provision(platform(), mailboxId)) ?? null,

    failMailbox: (mailboxId: string): Promise<void> =>
      fail(platform(), mailboxId, { code: 'provisioning_failed', message: 'It could not be set up: create it again, and ask the operators if it stays so' }),

    deliverMail: (mailId: string): Promise<Delivered> => deliver(platform(), mailId),

    sendAnswer: (mailId: string): Promise<Delivered> => longRunning(() => send(platform(), mailId)),
  };
}
