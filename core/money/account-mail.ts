// Mail of the platform to an account: to its person, or to members of the organization.
import type { Knex } from 'knex';
import type { OrganizationRole } from '#contract/states.ts';
import type { Mail } from '#drivers/mail/port.ts';
import { type OwnMail, sendOwnMail } from '../agents/mailbox/own-mail.ts';
import type { Ctx } from '../kernel/ctx.ts';

export interface AccountMail extends Omit<OwnMail, 'to'> {
  userId: string;
  /** Of members of an organization that get it; by default those who see to its bills. */
  roles?: readonly OrganizationRole[];
}

/** False: not now, but it may be tried again. */
export async function mailAccount(ctx: Ctx, mail: Mail, { userId, subject, text, id, roles = ['owner', 'billing'] }: AccountMail): Promise<boolean> {
  for (const to of await addressesOf(ctx.db, userId, roles)) if (!(await sendOwnMail(ctx, mail, { to, subject, text, id }))) return false;
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
