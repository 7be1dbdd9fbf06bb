// A user as clients read it.
import type { Knex } from 'knex';
import type { ScimUsersRow } from '#db/tables.ts';
import type { Document } from '../schema/attribute.ts';
import { ENTERPRISE, USERS } from '../schema/user.ts';
import { customUrns } from '../document/custom.ts';
import { isSelected, select, type Selection } from '../document/select.ts';
import { scimEtag, type ScimOrganization } from '../of.ts';

export interface GroupOf {
  user_id: string;
  scim_id: string;
  display_name: string;
}

export interface Presented {
  document: Document & { schemas: string[]; id: string };
  etag: string;
  location: string;
}

export function presentScimUser(of: ScimOrganization, row: ScimUsersRow, groups: readonly GroupOf[], selection: Selection): Presented {
  const location = `${of.base}/Users/${row.scim_id}`;
  const etag = scimEtag(row.version);
  const storedDocument: Document = { ...Object(row.document) };
  const whole = {
    schemas: [USERS.schema.id, ...(storedDocument[ENTERPRISE] === undefined ? [] : [ENTERPRISE]), ...customUrns(USERS, storedDocument)],
    id: row.scim_id,
    ...storedDocument,
    ...(groups.length > 0 && {
      groups: groups.map(({ scim_id, display_name }) => ({ value: scim_id, $ref: `${of.base}/Groups/${scim_id}`, display: display_name, type: 'direct' })),
    }),
    meta: { resourceType: 'User', created: row.created_at.toISOString(), lastModified: row.updated_at.toISOString(), location, version: etag },
  };
  // Safe: a selection keeps schemas and id.
  return { document: select(USERS, whole, selection) as Presented['document'], etag, location };
}

/** The groups of these users, for those who want them. */
export async function groupsOf(db: Knex, ids: readonly string[], selection: Selection): Promise<Map<string, GroupOf[]>> {
  const groupsByUser = new Map<string, GroupOf[]>();
  if (ids.length === 0 || !isSelected(USERS, 'groups', selection)) return groupsByUser;
  const rows = await db('scim_group_members as m')
    .join('scim_groups as g', 'g.scim_id', 'm.group_id')
    .whereIn('m.user_id', [...ids])
    .orderBy('g.scim_id')
    .select<GroupOf[]>('m.user_id', 'g.scim_id', 'g.display_name');
  for (const row of rows) groupsByUser.set(row.user_id, [...(groupsByUser.get(row.user_id) ?? []), row]);
  return groupsByUser;
}

export async function presentOne(db: Knex, of: ScimOrganization, row: ScimUsersRow, selection: Selection): Promise<Presented> {
  return presentScimUser(of, row, (await groupsOf(db, [row.scim_id], selection)).get(row.scim_id) ?? [], selection);
}
