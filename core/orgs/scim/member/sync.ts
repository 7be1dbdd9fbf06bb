// From a provisioned user to a member of the organization. Who is not a member yet is invited, and nothing is
// asked of accounts: what the identity provider says of an address gives no right over an account that has
// it, and shows nothing of it, not even that it is there.
import type { Knex } from 'knex';
import { SCIM_DEFAULT_ROLE } from '#contract/orgs/organization-scim.ts';
import type { OrganizationMembersRow, ScimUsersRow } from '#db/tables.ts';
import { audit } from '../../../kernel/audit.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';
import { Forbidden } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { requireOwnerLeft, withAddress } from '../../member/find.ts';
import { requireSeat } from '../../member/seats.ts';
import { endAccess } from '../../member/end-access.ts';
import { invitation } from './invitation.ts';

type User = Pick<ScimUsersRow, 'scim_id' | 'organization_id' | 'member_id' | 'email' | 'active'>;

/**
 * Within lockMembers. After a change of `user`; `wasActive`: before it. Resolves with the id of the member.
 * @throws Forbidden role_not_allowed; Conflict last_owner; PaymentRequired seats_taken
 */
export async function syncMember(ctx: TxCtx, user: User, wasActive: boolean): Promise<string | null> {
  const member = await memberOf(ctx.db, user);
  if (member?.user_id) {
    if (!user.active && member.state === 'active') await suspend(ctx, member);
    // Who an admin suspended stays so until the identity provider takes them back on purpose.
    if (user.active && !wasActive && member.state === 'suspended') {
      await requireSeat(ctx, user.organization_id, 'active');
      await move(ctx, member, 'active');
    }
    return member.member_id;
  }
  if (member && (!user.active || user.email === null)) {
    await ctx.db('organization_members').where({ member_id: member.member_id, state: 'invited' }).del();
    await audit(ctx, 'scim_member.uninvite', { member: member.member_id }, { user: user.scim_id });
    return null;
  }
  if (!user.active || user.email === null) return null;
  return member ? reinvite(ctx, user.email, member) : invite(ctx, { ...user, email: user.email });
}

/**
 * Theirs, or who has their address already. An account that joined stays theirs whatever address the client
 * gives later.
 */
async function memberOf(tx: Knex.Transaction, user: User): Promise<OrganizationMembersRow | undefined> {
  const own = user.member_id === null ? undefined : await tx('organization_members').where({ member_id: user.member_id }).first();
  if (own?.user_id || user.email === null) return own;
  const sameAddress = await tx('organization_members')
    .where(withAddress(tx, user.organization_id, user.email))
    .orderByRaw('user_id nulls last')
    .first();
  if (!sameAddress || sameAddress.member_id === own?.member_id) return own;
  if (own) await tx('organization_members').where({ member_id: own.member_id, state: 'invited' }).del();
  return sameAddress;
}

/** With the lowest role: settleRoles gives another. */
async function invite(ctx: TxCtx, user: User & { email: string }): Promise<string> {
  await requireSeat(ctx, user.organization_id, 'invited');
  const at = new Date(ctx.clock());
  const member_id = newId('mem', ctx.clock());
  const { organization_id, email } = user;
  const facts = {
    member_id,
    organization_id,
    email,
    role: SCIM_DEFAULT_ROLE,
    state: 'invited' as const,
    source: 'scim' as const,
    created_at: at,
    updated_at: at,
  };
  await ctx.db('organization_members').insert({ ...facts, ...(await invitation(ctx.db, user, at)) });
  await audit(ctx, 'scim_member.invite', { member: member_id }, { user: user.scim_id });
  return member_id;
}

/** Another address needs another link. */
async function reinvite(ctx: TxCtx, email: string, member: OrganizationMembersRow): Promise<string> {
  if (member.email === email) return member.member_id;
  const at = new Date(ctx.clock());
  await ctx
    .db('organization_members')
    .where({ member_id: member.member_id })
    .update({ email, invitation: member.invitation + 1, updated_at: at, ...(await invitation(ctx.db, { ...member, email }, at)) });
  await audit(ctx, 'scim_member.invite', { member: member.member_id });
  return member.member_id;
}

async function suspend(ctx: TxCtx, member: OrganizationMembersRow): Promise<void> {
  await move(ctx, member, 'suspended');
  if (member.role === 'owner') await requireOwnerLeft(ctx.db, member.organization_id);
  if (member.user_id) await endAccess(ctx, { organization_id: member.organization_id, user_id: member.user_id });
}

async function move(ctx: TxCtx, member: OrganizationMembersRow, state: 'active' | 'suspended'): Promise<void> {
  requireOwnersToken(ctx, member);
  await ctx
    .db('organization_members')
    .where({ member_id: member.member_id, state: member.state })
    .update({ state, updated_at: new Date(ctx.clock()) });
  await audit(ctx, state === 'active' ? 'scim_member.restore' : 'scim_member.suspend', { member: member.member_id });
}

/**
 * As in the settings: an owner is suspended, restored and removed only by owners. @throws Forbidden
 * role_not_allowed
 */
function requireOwnersToken({ actor }: TxCtx, member: Pick<OrganizationMembersRow, 'role'>): void {
  if (member.role !== 'owner' || (actor.kind === 'org_scim' && actor.role === 'owner')) return;
  throw new Forbidden('role_not_allowed', 'This is an owner of the organization: only a SCIM token that an owner issued suspends, restores or removes them');
}

/** The user is gone at the identity provider. @throws Forbidden role_not_allowed; Conflict last_owner */
export async function removeScimMember(ctx: TxCtx, memberId: string | null): Promise<void> {
  const member = memberId === null ? undefined : await ctx.db('organization_members').where({ member_id: memberId }).first();
  if (!member) return;
  requireOwnersToken(ctx, member);
  await ctx.db('organization_members').where({ member_id: member.member_id }).del();
  if (member.role === 'owner') await requireOwnerLeft(ctx.db, member.organization_id);
  await audit(ctx, 'scim_member.remove', { member: member.member_id });
  if (member.user_id) await endAccess(ctx, { organization_id: member.organization_id, user_id: member.user_id });
}
