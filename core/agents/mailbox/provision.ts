// Makes a mailbox ready. Each step may come twice.
import type { Knex } from 'knex';
import type { MailboxState } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { addressFor } from './open.ts';
import { signingKey } from './keys.ts';

/** Its state afterwards; undefined: there is none any more. */
export async function provisionMailbox(ctx: Ctx, mailboxId: string): Promise<MailboxState | undefined> {
  await move(ctx.db, mailboxId, ['pending'], 'provisioning');
  const row = await ctx
    .db('mailboxes as m')
    .join('agents as a', 'a.agent_id', 'm.agent_id')
    .where({ 'm.mailbox_id': mailboxId })
    .first('m.state', 'm.address', 'a.name', 'a.deleted_at');
  if (row?.state !== 'provisioning') return row?.state;
  const { mail } = ctx.drivers;
  if (row.deleted_at !== null || !mail || row.address !== addressFor(ctx, row.name)) {
    await failProvisioning(ctx, mailboxId, {
      code: 'mail_not_served',
      message: 'This installation does not serve the domain of this mailbox (any more): ask its operators, then create it again',
    });
    return 'failed';
  }
  await signingKey(ctx, mail);
  await move(ctx.db, mailboxId, ['provisioning'], 'ready');
  return (await ctx.db('mailboxes').where({ mailbox_id: mailboxId }).first('state'))?.state;
}

export async function failProvisioning({ db }: Ctx, mailboxId: string, error: Fault): Promise<void> {
  await move(db, mailboxId, ['pending', 'provisioning'], 'failed', error);
}

async function move(db: Knex, mailboxId: string, from: readonly MailboxState[], to: MailboxState, error?: Fault): Promise<void> {
  await db('mailboxes')
    .where({ mailbox_id: mailboxId })
    .whereIn('state', [...from])
    .update({ state: to, error: error ? JSON.stringify(error) : null, updated_at: db.raw('now()') });
}
