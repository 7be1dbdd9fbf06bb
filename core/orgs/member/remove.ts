import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type OrganizationFor, organizationFor } from '../organization/find.ts';
import { endAccess } from './end-access.ts';
import { lockMembers, memberOf, requireOwnerFor, requireOwnerLeft } from './find.ts';

/**
 * Members can also remove themselves.
 * @throws NotFound organization_not_found, member_not_found; Forbidden role_not_allowed; Conflict last_owner
 */
export async function removeMember(ctx: Ctx, { slug, member_id }: { slug: string; member_id: string }): Promise<void> {
  const isOwn = ({ actor }: OrganizationFor): boolean => actor.member.member_id === member_id;
  const organizationOf = async (ctx: Pick<Ctx, 'db' | 'actor'>, action: 'organization.leave'): Promise<OrganizationFor> => {
    const mine = await organizationFor(ctx.db, ctx.actor, action, slug);
    return isOwn(mine) ? mine : organizationFor(ctx.db, ctx.actor, 'organization.manage', slug);
  };
  await act(ctx, 'organization.leave', organizationOf, async (ctx, organization) => {
    const leaves = isOwn(organization);
    const { organization_id } = organization;
    await lockMembers(ctx.db, organization_id);
    const row = await memberOf(ctx.db, organization_id, member_id);
    if (!leaves) requireOwnerFor(organization, [row.role]);
    await ctx.db('organization_members').where({ member_id }).delete();
    await requireOwnerLeft(ctx.db, organization_id);
    if (row.user_id !== null) await endAccess(ctx, { organization_id, user_id: row.user_id });
    const facts = { email: row.email, role: row.role, state: row.state };
    return done({ member: member_id }, facts, undefined, leaves ? {} : { action: 'organization.remove_member' });
  });
}
