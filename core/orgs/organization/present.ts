import type { Knex } from 'knex';
import type { z } from 'zod';
import type { OrganizationOut } from '#contract/orgs/organizations.ts';
import type { OrganizationRole } from '#contract/states.ts';
import type { OrganizationsRow } from '#db/tables.ts';

export type Organization = z.infer<typeof OrganizationOut>;
export type OrganizationView = OrganizationsRow & { role: OrganizationRole; members: number };

/** Organizations of which this person is an active member. */
export function selectOrganizations(db: Knex, personId: string): Knex.QueryBuilder<OrganizationView, OrganizationView[]> {
  const members = `(select count(*)::int from organization_members n where n.organization_id = o.organization_id and n.state = 'active')`;
  return db('organizations as o')
    .join('organization_members as m', 'm.organization_id', 'o.organization_id')
    .where({ 'm.user_id': personId, 'm.state': 'active' })
    .select('o.*', 'm.role', db.raw(`${members} as members`));
}

export function presentOrganization(row: OrganizationView): Organization {
  const { organization_id, slug, name, role, members, auto_join_role } = row;
  return { organization_id, slug, name, role, members, auto_join_role, created_at: row.created_at.toISOString() };
}
