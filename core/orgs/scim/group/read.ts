import type { Knex } from 'knex';
import type { ScimListing } from '#contract/orgs/scim.ts';
import type { ScimGroupsRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { NotFound } from '../../../kernel/errors.ts';
import type { Selection } from '../document/select.ts';
import { find, type ListAnswer, listAnswer } from '../list.ts';
import { type ScimOrganization, scimOrganization } from '../of.ts';
import type { Presented } from '../user/present.ts';
import { membersOf, presentGroup, presentOneGroup } from './present.ts';
import { groupSources } from './sources.ts';

/** @throws BadRequest scim_filter_invalid, scim_path_invalid */
export async function listScimGroups(ctx: Ctx, i: ScimListing): Promise<ListAnswer> {
  const of = scimOrganization(ctx, 'scim_group.read');
  const page = await find(ctx.db, groupSources(of.organization_id), i);
  const rows = new Map((await ctx.db('scim_groups').whereIn('scim_id', page.ids)).map((row) => [row.scim_id, row]));
  const members = await membersOf(ctx.db, page.ids, i);
  const present = (id: string): Presented['document'][] => {
    const row = rows.get(id);
    return row ? [presentGroup(of, row, members.get(id) ?? [], i).document] : [];
  };
  return listAnswer(page, page.ids.flatMap(present));
}

/** @throws NotFound scim_group_not_found */
export async function getScimGroup(ctx: Ctx, i: Selection & { group_id: string }): Promise<Presented & { version: number }> {
  const of = scimOrganization(ctx, 'scim_group.read');
  const row = await groupRow(ctx.db, of, i.group_id);
  return { ...(await presentOneGroup(ctx.db, of, row, i)), version: row.version };
}

export async function groupRow(db: Knex, of: ScimOrganization, id: string): Promise<ScimGroupsRow> {
  const row = await db('scim_groups').where({ scim_id: id, organization_id: of.organization_id }).first();
  if (!row) throw new NotFound('scim_group_not_found', `There is no group ${id}: look it up by displayName`);
  return row;
}
