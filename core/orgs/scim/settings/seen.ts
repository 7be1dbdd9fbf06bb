// What was provisioned, as the people of the organization see it.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ScimGroupSeen, ScimUserSeen } from '#contract/orgs/organization-scim.ts';
import type { OrganizationMembersRow, ScimGroupRolesRow, ScimGroupsRow, ScimUsersRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../../kernel/page.ts';
import { organizationFor } from '../../organization/find.ts';
import { groupsOf } from '../user/present.ts';

interface PageOf {
  slug: string;
  limit: number;
  cursor?: string | undefined;
}

type UserView = ScimUsersRow & Pick<OrganizationMembersRow, 'state' | 'role'>;

export async function seenUsers(ctx: Ctx, i: PageOf): Promise<Page<z.infer<typeof ScimUserSeen>>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.manage', i.slug);
  const query = ctx
    .db('scim_users as r')
    .leftJoin('organization_members as m', 'm.member_id', 'r.member_id')
    .where({ 'r.organization_id': organization_id })
    .select<UserView[]>('r.*', 'm.state', 'm.role');
  const rows: UserView[] = await ofPage(query, i);
  const groups = await groupsOf(
    ctx.db,
    rows.map(({ scim_id }) => scim_id),
    {},
  );
  return toPage(rows, i.limit, (row) => presentUser(row, groups.get(row.scim_id)?.map(({ display_name }) => display_name) ?? []), key);
}

type GroupView = ScimGroupsRow & { members: string } & Partial<Pick<ScimGroupRolesRow, 'role'>>;

export async function seenGroups(ctx: Ctx, i: PageOf): Promise<Page<z.infer<typeof ScimGroupSeen>>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.manage', i.slug);
  const query = ctx
    .db('scim_groups as r')
    .leftJoin('scim_group_roles as m', (on) => on.on('m.organization_id', 'r.organization_id').andOn('m.group_name', 'r.display_name_folded'))
    .where({ 'r.organization_id': organization_id })
    .select<GroupView[]>('r.*', 'm.role', ctx.db.raw('(select count(*) from scim_group_members g where g.group_id = r.scim_id) as members'));
  const rows: GroupView[] = await ofPage(query, i);
  return toPage(rows, i.limit, presentGroup, key);
}

/** Ids begin with the time. */
function ofPage<R>(query: Knex.QueryBuilder<object, R>, { limit, cursor }: PageOf): Knex.QueryBuilder<object, R> {
  void query.orderBy('r.scim_id').limit(limit + 1);
  if (cursor !== undefined) void query.where('r.scim_id', '>', decodeCursor(cursor, ['string'])[0]);
  return query;
}

function key({ scim_id }: { scim_id: string }): [string] {
  return [scim_id];
}

function presentUser(row: UserView, groups: string[]): z.infer<typeof ScimUserSeen> {
  const { userName, displayName, name } = { ...Object(row.document) } as { userName?: unknown; displayName?: unknown; name?: { formatted?: unknown } };
  const shown = displayName ?? name?.formatted;
  return {
    user_id: row.scim_id,
    user_name: String(userName),
    display_name: typeof shown === 'string' ? shown : null,
    email: row.email,
    active: row.active,
    groups,
    member: row.member_id === null ? null : { member_id: row.member_id, state: row.state, role: row.role },
    updated_at: row.updated_at.toISOString(),
  };
}

function presentGroup(row: GroupView): z.infer<typeof ScimGroupSeen> {
  return { group_id: row.scim_id, name: row.display_name, members: Number(row.members), role: row.role ?? null, updated_at: row.updated_at.toISOString() };
}
