import type { Ctx } from '../../kernel/ctx.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import { storableText } from '../../kernel/storable.ts';
import { organizationNamed } from './find.ts';
import { getOrganization } from './list.ts';
import type { Organization } from './present.ts';

/** @throws NotFound organization_not_found; Forbidden role_not_allowed */
export async function updateOrganization(
  ctx: Ctx,
  { slug, ...i }: { slug: string; name?: string | undefined; auto_join_role?: 'developer' | 'auditor' | null | undefined },
): Promise<Organization> {
  const { actor } = ctx;
  return act(ctx, 'organization.manage', organizationNamed(slug), async (ctx, { organization_id }) => {
    const changed = {
      ...(i.name === undefined ? {} : { name: storableText(i.name) }),
      ...(i.auto_join_role === undefined ? {} : { auto_join_role: i.auto_join_role }),
    };
    if (Object.keys(changed).length === 0) return unchanged(await getOrganization({ ...ctx, actor }, { slug }));
    await ctx.db('organizations').where({ organization_id }).update(changed);
    if (changed.name !== undefined) await ctx.db('users').where({ user_id: organization_id }).update({ name: changed.name });
    return done({ organization: organization_id }, changed, await getOrganization({ ...ctx, actor }, { slug }), { action: 'organization.update' });
  });
}
