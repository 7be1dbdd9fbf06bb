// A deployment whose svc.yaml declares a mailbox makes it, or writes who may use it. A mailbox that svc.yaml
// does not name stays as it is.
import { MailboxDeclaration } from '#contract/wire/mail.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { mailboxOf } from './find.ts';
import { openMailbox, senders } from './open.ts';

/**
 * Call it in the transaction that makes the deployment live, which holds the agent's row. What mail lacks
 * never stops a deployment: see the mailbox.
 */
export async function declareMailbox(ctx: TxCtx, agent: { agent_id: string; name: string; owner_id: string }, manifest: unknown): Promise<void> {
  const declared = declarationIn(manifest);
  const known = await mailboxOf(ctx.db, agent.agent_id, true);
  const open = known && known.state !== 'removed' ? known : undefined;
  if (open) {
    await ctx
      .db('mailboxes')
      .where({ mailbox_id: open.mailbox_id })
      .update({ declared_senders: senders(declared?.allowed_senders), updated_at: new Date(ctx.clock()) });
    return;
  }
  if (!declared) return;
  try {
    const { mailbox_id, address } = await openMailbox(ctx, { agent, declared: declared.allowed_senders });
    await audit(ctx, 'mailbox.create', { mailbox: mailbox_id }, { agent_id: agent.agent_id, address, declared: true });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}

function declarationIn(manifest: unknown): MailboxDeclaration | undefined {
  const stated = typeof manifest === 'object' && manifest !== null && 'mailbox' in manifest ? manifest.mailbox : undefined;
  const read = MailboxDeclaration.safeParse(stated);
  return read.success ? read.data : undefined;
}
