// The role that the groups of a user give: the highest. It is never owner, and owners stay owners.
import { SCIM_DEFAULT_ROLE } from '#contract/orgs/organization-scim.ts';
import { type OrganizationRole, SCIM_ROLES } from '#contract/states.ts';
import { audit } from '../../../kernel/audit.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';
import type { OrganizationMembersRow } from '#db/tables.ts';
import { isLower } from '../../../kernel/roles.ts';
import { endAccess } from '../../member/end-access.ts';

/**
 * Of these users; who is in no such group has the lowest. Whom a person invited keeps the role that the
 * person gave: what a group gave could not be taken back.
 */
export async function syncRoles(ctx: TxCtx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await ctx.db.raw<{
    rows: {
      member_id: string;
      user_id: string | null;
      organization_id: string;
      state: OrganizationMembersRow['state'];
      was: OrganizationRole;
      role: OrganizationRole;
    }[];
  }>(
    `with wanted as (
       select u.member_id, (:order::text[])[min(array_position(:order::text[], r.role))] as by_group
       from scim_users u
       left join scim_group_members m on m.user_id = u.scim_id
       left join scim_groups g on g.scim_id = m.group_id
       left join scim_group_roles r on r.organization_id = g.organization_id and r.group_name = g.display_name_folded
       where u.scim_id = any(:ids) and u.member_id is not null
       group by u.member_id
     ), moved as (
       select o.member_id, o.role as was, coalesce(w.by_group, :lowest::text) as role
       from organization_members o join wanted w on w.member_id = o.member_id where o.role <> 'owner' and o.source = 'scim'
     )
     update organization_members o set role = moved.role, updated_at = :now from moved
     where o.member_id = moved.member_id and o.role <> moved.role
     returning o.member_id, o.user_id, o.organization_id, o.state, moved.was, moved.role`,
    { order: [...SCIM_ROLES], ids: [...ids], lowest: SCIM_DEFAULT_ROLE, now: new Date(ctx.clock()) },
  );
  for (const { member_id, user_id, organization_id, state, was, role } of rows) {
    await audit(ctx, 'scim_member.role', { member: member_id }, { was, role });
    if (user_id !== null && state === 'active' && isLower(role, was)) await endAccess(ctx, { organization_id, user_id }, role);
  }
}
