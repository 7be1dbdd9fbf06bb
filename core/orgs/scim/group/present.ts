// A group as clients read it.
import type { Knex } from 'knex';
import type { ScimGroupsRow } from '#db/tables.ts';
import { GROUPS } from '../schema/group.ts';
import { isSelected, select, type Selection } from '../document/select.ts';
import { scimEtag, type ScimOrganization } from '../of.ts';
import type { Presented } from '../user/present.ts';

export function presentGroup(of: ScimOrganization, row: ScimGroupsRow, members: readonly string[], selection: Selection): Presented {
  const location = `${of.base}/Groups/${row.scim_id}`;
  const etag = scimEtag(row.version);
  const whole = {
    schemas: [GROUPS.schema.id],
    id: row.scim_id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members.length > 0 && { members: members.map((value) => ({ value, $ref: `${of.base}/Users/${value}`, type: 'User' })) }),
    meta: { resourceType: 'Group', created: row.created_at.toISOString(), lastModified: row.updated_at.toISOString(), location, version: etag },
  };
  // Safe: a selection keeps schemas and id.
  return { document: select(GROUPS, whole, selection) as Presented['document'], etag, location };
}

/** Ids of the users in these groups, for those who want them. */
export async function membersOf(db: Knex, ids: readonly string[], selection: Selection): Promise<Map<string, string[]>> {
  const membersByGroup = new Map<string, string[]>();
  if (ids.length === 0 || !isSelected(GROUPS, 'members', selection)) return membersByGroup;
  const rows = await db('scim_group_members')
    .whereIn('group_id', [...ids])
    .groupBy('group_id')
    .select<{ group_id: string; users: string[] }[]>('group_id', db.raw('array_agg(user_id order by user_id) as users'));
  for (const { group_id, users } of rows) membersByGroup.set(group_id, users);
  return membersByGroup;
}

export async function presentOneGroup(db: Knex, of: ScimOrganization, row: ScimGroupsRow, selection: Selection): Promise<Presented> {
  return presentGroup(of, row, (await membersOf(db, [row.scim_id], selection)).get(row.scim_id) ?? [], selection);
}
