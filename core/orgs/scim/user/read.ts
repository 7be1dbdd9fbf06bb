import type { Knex } from 'knex';
import type { ScimListing } from '#contract/orgs/scim.ts';
import type { ScimUsersRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { NotFound } from '../../../kernel/errors.ts';
import type { Selection } from '../document/select.ts';
import { find, type ListAnswer, listAnswer } from '../list.ts';
import { type ScimOrganization, scimOrganization } from '../of.ts';
import { groupsOf, type Presented, presentOne, presentScimUser } from './present.ts';
import { userSources } from './sources.ts';

/**
 * Disabled users too: a client must find them to enable them again. @throws BadRequest scim_filter_invalid,
 * scim_path_invalid
 */
export async function listScimUsers(ctx: Ctx, i: ScimListing): Promise<ListAnswer> {
  const of = scimOrganization(ctx, 'scim_user.read');
  const page = await find(ctx.db, userSources(of.organization_id), i);
  const rows = new Map((await ctx.db('scim_users').whereIn('scim_id', page.ids)).map((row) => [row.scim_id, row]));
  const groups = await groupsOf(ctx.db, page.ids, i);
  const present = (id: string): Presented['document'][] => {
    const row = rows.get(id);
    return row ? [presentScimUser(of, row, groups.get(id) ?? [], i).document] : [];
  };
  return listAnswer(page, page.ids.flatMap(present));
}

/** @throws NotFound scim_user_not_found */
export async function getScimUser(ctx: Ctx, i: Selection & { user_id: string }): Promise<Presented & { version: number }> {
  const of = scimOrganization(ctx, 'scim_user.read');
  const row = await userRow(ctx.db, of, i.user_id);
  return { ...(await presentOne(ctx.db, of, row, i)), version: row.version };
}

export async function userRow(db: Knex, of: ScimOrganization, id: string): Promise<ScimUsersRow> {
  const row = await db('scim_users').where({ scim_id: id, organization_id: of.organization_id }).first();
  if (!row) throw new NotFound('scim_user_not_found', `There is no user ${id}: look them up by userName`);
  return row;
}
