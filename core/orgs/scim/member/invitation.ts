// Of an invitation that an identity provider caused: how long it holds, and whether a mail is sent for it.
import type { Knex } from 'knex';
import type { Insert } from '#db/table-types.ts';

const DAYS = 30;

/**
 * Mails go only to addresses of the organization's verified domains: else any organization could let the
 * platform send mail to any address. To others an admin sends the invitation.
 */
export async function invitation(
  db: Knex,
  of: { organization_id: string; email: string },
  at: Date,
): Promise<Pick<Insert<'organization_members'>, 'expires_at' | 'mailed_at' | 'mail_claimed_at'>> {
  const domain = of.email.slice(of.email.lastIndexOf('@') + 1);
  const verified = await db('organization_domains').where({ organization_id: of.organization_id, domain, state: 'verified' }).first('domain_id');
  return { expires_at: new Date(at.getTime() + DAYS * 86_400_000), mailed_at: verified ? null : at, mail_claimed_at: null };
}
