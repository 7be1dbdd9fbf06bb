// Who signs in by an organization is one of its members: they are already, take the invitation that waits for
// them, or are made one at their first sign-in.
import type { OrganizationMembersRow } from '#db/tables.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireSeat } from '../member/seats.ts';
import type { Person } from './account.ts';

/**
 * Within lockMembers. `known`: the provider's person was here before, so that a removed person does not come
 * back by signing in. Resolves with what was done.
 * @throws Forbidden membership_suspended, sso_not_a_member, sso_link_first; PaymentRequired seats_taken
 */
export async function ensureMember(ctx: TxCtx, person: Person, of: { userId: string; known: boolean }): Promise<'member' | 'joined' | 'made'> {
  const { organization_id, slug, makes_members, default_role } = person.connection;
  const now = new Date(ctx.clock());
  const member = await ctx.db('organization_members').where({ organization_id, user_id: of.userId }).first('state');
  if (member?.state === 'active') return 'member';
  if (member) throw new Forbidden('membership_suspended', `${slug} has suspended you: ask one of its admins`);
  const invited = await ctx.db('organization_members').where({ organization_id, email: person.email, state: 'invited' }).first();
  const makes = makes_members && !of.known && person.link === undefined;
  const open = invited?.expires_at != null && invited.expires_at > now;
  if (!open && !makes) throw new Forbidden('sso_not_a_member', `You are no member of ${slug}: ask one of its admins for an invitation`);
  const joins = { user_id: of.userId, state: 'active' as const, joined_at: now, updated_at: now, expires_at: null };
  if (invited) requireNoOwner(invited, slug);
  await requireSeat(ctx, organization_id, 'active');
  if (invited) {
    await ctx.db('organization_members').where({ member_id: invited.member_id }).update({ ...joins, ...(open ? {} : { role: default_role }) }); // prettier-ignore
    return 'joined';
  }
  const facts = { organization_id, email: person.email, role: default_role, source: 'sso' as const, created_at: now };
  await ctx.db('organization_members').insert({ member_id: newId('mem', ctx.clock()), ...facts, ...joins });
  return 'made';
}

/** An admin chooses the provider, and must not become an owner by it. */
function requireNoOwner({ role }: OrganizationMembersRow, slug: string): void {
  if (role === 'owner') throw new Forbidden('sso_link_first', `You are invited as an owner of ${slug}: sign in without it, and open the link in the mail`);
}
