// Which role the groups of a user give: the highest of theirs. None is an owner's.
import type { Knex } from 'knex';
import type { OrganizationRole } from '#contract/states.ts';

export type GroupRole = Exclude<OrganizationRole, 'owner'>;
/** The highest first: what one allows beside another decides (core/kernel/roles.ts). */
export const ROLE_ORDER = ['admin', 'developer', 'operator', 'billing', 'auditor'] as const satisfies readonly GroupRole[];
/** Of who is in no group with a role: it reads. */
export const DEFAULT_ROLE: GroupRole = 'auditor';

/** Undefined: no group of theirs has one. */
export async function roleByGroups(db: Knex, scimId: string): Promise<GroupRole | undefined> {
  const rows = await db('scim_group_members as m')
    .join('scim_groups as g', 'g.scim_id', 'm.group_id')
    .join('scim_group_roles as r', (on) => on.on('r.organization_id', 'g.organization_id').andOn('r.group_name', 'g.display_name_folded'))
    .where('m.user_id', scimId)
    .distinct('r.role');
  return ROLE_ORDER.find((role) => rows.some((row) => row.role === role));
}
