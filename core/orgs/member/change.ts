import type { OrganizationRole } from '#contract/states.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { organizationNamed } from '../organization/find.ts';
import { endAccess } from './end-access.ts';
import { lockMembers, memberOf, requireOwnerFor, requireOwnerLeft, shownMember } from './find.ts';
import { endSsoSessionsOf } from './end-sso.ts';
import type { Member } from './present.ts';
import { requireSeat } from './seats.ts';

interface Change {
  role?: OrganizationRole | undefined;
  state?: 'active' | 'suspended' | undefined;
}

/**
 * It holds for their next request. @throws NotFound organization_not_found, member_not_found; Forbidden
 * role_not_allowed; Conflict last_owner, member_invited; PaymentRequired seats_taken
 */
export async function updateMember(ctx: Ctx, { slug, member_id, role, state }: { slug: string; member_id: string } & Change): Promise<Member> {
  return act(ctx, 'organization.manage', organizationNamed(slug), async (ctx, organization) => {
    const { organization_id } = organization;
    await lockMembers(ctx.db, organization_id);
    const row = await memberOf(ctx.db, organization_id, member_id);
    requireOwnerFor(organization, [row.role, role]);
    if (row.state === 'invited' && state !== undefined) throw new Conflict('member_invited', 'They have not accepted yet: take the invitation back instead');
    const changed = { ...(role === undefined || role === row.role ? {} : { role }), ...(state === undefined || state === row.state ? {} : { state }) };
    if (changed.state === 'active') await requireSeat(ctx, organization_id, 'active');
    if (Object.keys(changed).length === 0) return unchanged(await shownMember(ctx.db, organization_id, member_id));
    await ctx.db('organization_members').where({ member_id }).update({ ...changed, updated_at: new Date(ctx.clock()) }); // prettier-ignore
    await requireOwnerLeft(ctx.db, organization_id);
    const now = { ...row, ...changed };
    if (row.user_id !== null) {
      const of = { organization_id, user_id: row.user_id };
      await endAccess(ctx, of, now.state === 'active' ? now.role : undefined);
      // Whose provider an admin chooses becomes no owner by it: the next sign-in looks at who linked the
      // account.
      if (changed.role === 'owner') await endSsoSessionsOf(ctx.db, of, ctx.clock());
    }
    const facts = { email: row.email, was: row.role, ...changed };
    return done({ member: member_id }, facts, await shownMember(ctx.db, organization_id, member_id), { action: 'organization.member' });
  });
}
