import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { organizationFor } from '../organization/find.ts';
import { endAccess } from './end-access.ts';
import { lockMembers, memberOf, requireOwnerFor, requireOwnerLeft } from './find.ts';

/**
 * Members can also remove themselves.
 * @throws NotFound organization_not_found, member_not_found; Forbidden role_not_allowed; Conflict last_owner
 */
export async function removeMember(ctx: Ctx, { slug, member_id }: { slug: string; member_id: string }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    const mine = await organizationFor(ctx.db, ctx.actor, 'organization.leave', slug);
    const leaves = mine.actor.member.member_id === member_id;
    const organization = leaves ? mine : await organizationFor(ctx.db, ctx.actor, 'organization.manage', slug);
    const { organization_id, actor } = organization;
    await lockMembers(ctx.db, organization_id);
    const row = await memberOf(ctx.db, organization_id, member_id);
    if (!leaves) requireOwnerFor(organization, [row.role]);
    await ctx.db('organization_members').where({ member_id }).delete();
    await requireOwnerLeft(ctx.db, organization_id);
    if (row.user_id !== null) await endAccess({ ...ctx, actor }, { organization_id, user_id: row.user_id });
    const action = leaves ? 'organization.leave' : 'organization.remove_member';
    await audit({ ...ctx, actor }, action, { member: member_id }, { email: row.email, role: row.role, state: row.state });
  });
}
