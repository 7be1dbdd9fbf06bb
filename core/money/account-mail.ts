// Mail of the platform to an account: to its person, or to members of the organization.
import type { Knex } from 'knex';
import type { OrganizationRole } from '#contract/states.ts';
import { composeMail } from '#drivers/mail/compose.ts';
import { type Mail, SendFailed } from '#drivers/mail/port.ts';
import { signingKey } from '../agents/mailbox/keys.ts';
import type { Ctx } from '../kernel/ctx.ts';

export interface AccountMail {
  userId: string;
  subject: string;
  text: string;
  /** Of members of an organization that get it; by default those who see to its bills. */
  roles?: readonly OrganizationRole[];
  /** Before the @ of the message id: a mail program shows the same one once, should it come twice. */
  id: string;
}

/** False: not now, but it may be tried again. */
export async function mailAccount(ctx: Ctx, mail: Mail, { userId, subject, text, id, roles = ['owner', 'billing'] }: AccountMail): Promise<boolean> {
  const key = { domain: mail.domain, selector: mail.selector, privateKey: await signingKey(ctx, mail) };
  for (const to of await addressesOf(ctx.db, userId, roles)) {
    const messageId = `<${id}@${mail.domain}>`;
    const head = { automatic: 'auto-generated', fromName: 'svc', from: `no-reply@${mail.domain}`, to, subject, messageId } as const;
    const raw = await composeMail({ ...head, text, inReplyTo: undefined, references: [], date: new Date(ctx.clock()) }, key);
    try {
      await mail.send({ envelopeFrom: '', to, raw });
    } catch (error) {
      if (!(error instanceof SendFailed)) throw error;
      if (!error.permanent) return false;
    }
  }
  return true;
}

async function addressesOf(db: Knex, user_id: string, roles: readonly OrganizationRole[]): Promise<string[]> {
  const user = await db('users').where({ user_id }).first('email', 'kind');
  if (user?.kind !== 'organization') return user && user.email !== '' ? [user.email] : [];
  const members = await db('organization_members')
    .where({ organization_id: user_id, state: 'active' })
    .whereIn('role', [...roles])
    .select('email');
  return members.map(({ email }) => email);
}
