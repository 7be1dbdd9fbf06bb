import type { Knex } from 'knex';
import type { ScimRole } from '#contract/states.ts';
import { act, done } from '../../../kernel/act.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Invalid } from '../../../kernel/errors.ts';
import { lockMembers } from '../../member/find.ts';
import { organizationFor, organizationNamed } from '../../organization/find.ts';
import { syncRoles } from '../member/role.ts';
import { fold } from '../schema/attribute.ts';

interface Roles {
  roles: { group: string; role: ScimRole }[];
}

export async function getScimRoles(ctx: Ctx, { slug }: { slug: string }): Promise<Roles> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.manage', slug);
  return rolesOf(ctx.db, organization_id);
}

/**
 * In place of those that were. @throws Invalid where a group is named twice; NotFound organization_not_found;
 * Forbidden role_not_allowed
 */
export async function putScimRoles(ctx: Ctx, { slug, roles }: { slug: string } & Roles): Promise<Roles> {
  const rows = roles.map(({ group, role }) => ({ group_name: fold(group), shown_name: group, role }));
  const twice = rows.findIndex(({ group_name }, at) => rows.findIndex((one) => one.group_name === group_name) < at);
  if (twice !== -1) throw new Invalid([{ path: ['body', 'roles', twice, 'group'], message: 'is named twice: a group gives one role' }]);
  return act(ctx, 'scim_role.put', organizationNamed(slug), async (ctx, { organization_id }) => {
    await lockMembers(ctx.db, organization_id);
    const before = await ctx.db('scim_group_roles').where({ organization_id }).del().returning('group_name');
    if (rows.length > 0) await ctx.db('scim_group_roles').insert(rows.map((row) => ({ organization_id, ...row })));
    const named = [...new Set([...before, ...rows].map(({ group_name }) => group_name))];
    const members = await ctx
      .db('scim_group_members as m')
      .join('scim_groups as g', 'g.scim_id', 'm.group_id')
      .where({ 'g.organization_id': organization_id })
      .whereRaw('g.display_name_folded = any(?)', [named])
      .distinct('m.user_id');
    await syncRoles(
      ctx,
      members.map(({ user_id }) => user_id),
    );
    return done({ organization: organization_id }, { roles }, await rolesOf(ctx.db, organization_id));
  });
}

async function rolesOf(db: Knex, organization_id: string): Promise<Roles> {
  const rows = await db('scim_group_roles').where({ organization_id }).orderBy('group_name');
  return { roles: rows.map(({ shown_name, role }) => ({ group: shown_name, role })) };
}
