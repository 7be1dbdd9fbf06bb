// Somebody is invited by their address: a row without a user, a link that works once, and a mail with it
// (mail.ts sends it).
import { INVITATION_DAYS, MAX_MEMBERS } from '#contract/orgs/organizations.ts';
import type { MemberSource, OrganizationRole } from '#contract/states.ts';
import type { OrganizationMembersRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { organizationNamed } from '../organization/find.ts';
import { lockMembers, memberOf, requireOwnerFor, shownMember, withAddress } from './find.ts';
import type { Member } from './present.ts';
import { requireSeat } from './seats.ts';
import { invitationUrl } from './token.ts';

export type InvitedMember = Member & { invitation_url: string | null };

const DAY_MS = 86_400_000;

/**
 * @throws NotFound organization_not_found; Forbidden role_not_allowed; Conflict member_exists,
 * too_many_members; PaymentRequired seats_taken
 */
export async function inviteMember(ctx: Ctx, i: { slug: string; email: string; role: OrganizationRole }): Promise<InvitedMember> {
  return act(ctx, 'organization.manage', organizationNamed(i.slug), async (ctx, organization) => {
    const { organization_id, actor } = organization;
    requireOwnerFor(organization, [i.role]);
    const by = actor.member.person_id;
    const row = await openInvitation(ctx, { organization_id, email: i.email, role: i.role, source: 'person', invited_by: by });
    requireOwnerFor(organization, [row.before]);
    const shown = { ...(await shownMember(ctx.db, organization_id, row.member_id)), invitation_url: await invitationUrl(ctx, row) };
    return done({ member: row.member_id }, { email: row.email, role: i.role }, shown, { action: 'organization.invite' });
  });
}

/**
 * @throws NotFound organization_not_found, member_not_found; Conflict member_exists; PaymentRequired
 * seats_taken
 */
export async function resendInvitation(ctx: Ctx, i: { slug: string; member_id: string }): Promise<InvitedMember> {
  return act(ctx, 'organization.manage', organizationNamed(i.slug), async (ctx, organization) => {
    const { organization_id, actor } = organization;
    await lockMembers(ctx.db, organization_id);
    const { email, role, source } = await memberOf(ctx.db, organization_id, i.member_id);
    requireOwnerFor(organization, [role]);
    // Now it is theirs, who send it: it ends with their rights.
    const row = await openInvitation(ctx, { organization_id, email, role, source, invited_by: actor.member.person_id });
    const shown = { ...(await shownMember(ctx.db, organization_id, row.member_id)), invitation_url: await invitationUrl(ctx, row) };
    return done({ member: row.member_id }, { email, role, again: true }, shown, { action: 'organization.invite' });
  });
}

interface Invite {
  organization_id: string;
  email: string;
  role: OrganizationRole;
  source: MemberSource;
  invited_by: string | null;
}

/**
 * A link that was sent before is void. `before`: the role of an open invitation that this one takes the place
 * of.
 */
export async function openInvitation(ctx: Pick<TxCtx, 'clock' | 'drivers' | 'db'>, i: Invite): Promise<OrganizationMembersRow & { before?: OrganizationRole }> {
  const { organization_id, role, source, invited_by } = i;
  const email = i.email.toLowerCase();
  await lockMembers(ctx.db, organization_id);
  const now = new Date(ctx.clock());
  const open = { role, invited_by, updated_at: now, expires_at: new Date(now.getTime() + INVITATION_DAYS * DAY_MS), mailed_at: null, mail_claimed_at: null };
  const known = await ctx.db('organization_members').where(withAddress(ctx.db, organization_id, email));
  if (known.some(({ state }) => state !== 'invited')) throw new Conflict('member_exists', `${email} is a member already: change their role instead`);
  const [again] = known;
  // One that is open has its seat already.
  if (!(again?.expires_at && again.expires_at > now)) await requireSeat(ctx, organization_id, 'invited');
  if (again) {
    const [row] = await ctx
      .db('organization_members')
      .where({ member_id: again.member_id })
      .update({ ...open, invitation: again.invitation + 1 })
      .returning('*');
    if (row) return { ...row, before: again.role };
  }
  const [count] = await ctx.db('organization_members').where({ organization_id }).count<{ count: number }[]>('* as count');
  if (Number(count?.count ?? 0) >= MAX_MEMBERS)
    throw new Conflict('too_many_members', `The organization has ${MAX_MEMBERS} members and invitations, the most it can have: remove some first`);
  const [row] = await ctx
    .db('organization_members')
    .insert({ member_id: newId('mem', ctx.clock()), organization_id, email, state: 'invited', source, created_at: now, ...open })
    .returning('*');
  if (!row) throw new Error('an insert returned no row');
  return row;
}
