// Who has an address of a verified domain may join as the organization says. The address is proved by a mail:
// an identity provider may not have.
import type { Knex } from 'knex';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { shownMember } from './find.ts';
import { openInvitation } from './invite.ts';
import type { Member } from './present.ts';

/** Between two mails to one address. */
const QUIET_MS = 600_000;

interface Joinable {
  organization_id: string;
  slug: string;
  name: string;
  role: 'developer' | 'auditor';
}

export async function listJoinable(ctx: Ctx): Promise<{ items: Omit<Joinable, 'organization_id'>[] }> {
  const organizations = await joinable(ctx.db, requireUser(ctx, 'organization.join'));
  return { items: organizations.map(({ slug, name, role }) => ({ slug, name, role })) };
}

/** @throws NotFound organization_not_found; Conflict mail_not_served, member_exists, invitation_open */
export async function askToJoin(ctx: Ctx, { slug }: { slug: string }): Promise<Member> {
  return act(ctx, 'organization.join', requireUser, async (ctx, user) => {
    const organization = (await joinable(ctx.db, user)).find((one) => one.slug === slug);
    if (!organization)
      throw new NotFound('organization_not_found', `No organization ${slug} takes people of your domain: ask one of its admins for an invitation`);
    if (!ctx.drivers.mail) throw new Conflict('mail_not_served', 'This installation sends no mail, which proves your address: ask an admin for an invitation');
    const { organization_id, role } = organization;
    const open = await ctx.db('organization_members').where({ organization_id, email: user.email.toLowerCase(), state: 'invited' }).first();
    // Who asks may not be who has the address: what an admin sent stays as it is.
    if (open && open.source !== 'domain') throw new Conflict('invitation_open', 'You are invited already: open the link in the mail');
    if (open && open.updated_at.getTime() > ctx.clock() - QUIET_MS) return unchanged(await shownMember(ctx.db, organization_id, open.member_id));
    const row = await openInvitation(ctx, { organization_id, email: user.email, role, source: 'domain', invited_by: null });
    const shown = await shownMember(ctx.db, organization_id, row.member_id);
    return done({ member: row.member_id }, { email: row.email, role }, shown, { action: 'organization.ask_to_join', organizationId: organization_id });
  });
}

/** Not those that they are a member of. */
async function joinable(db: Knex, { user_id, email }: UserActor): Promise<Joinable[]> {
  return db('organization_domains as d')
    .join('organizations as o', 'o.organization_id', 'd.organization_id')
    .where({ 'd.domain': email.toLowerCase().split('@').at(-1), 'd.state': 'verified' })
    .whereNotNull('o.auto_join_role')
    .whereRaw('not exists (select 1 from organization_members m where m.organization_id = o.organization_id and m.user_id = ?)', [user_id])
    .select<Joinable[]>('o.organization_id', 'o.slug', 'o.name', 'o.auto_join_role as role');
}
