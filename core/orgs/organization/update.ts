import type { Ctx } from '../../kernel/ctx.ts';
import { audit } from '../../kernel/audit.ts';
import { storableText } from '../../kernel/storable.ts';
import { inTx } from '../../kernel/tx.ts';
import { organizationFor } from './find.ts';
import { getOrganization } from './list.ts';
import type { Organization } from './present.ts';

/** @throws NotFound organization_not_found; Forbidden role_not_allowed */
export async function updateOrganization(
  ctx: Ctx,
  { slug, ...i }: { slug: string; name?: string | undefined; auto_join_role?: 'developer' | 'auditor' | null | undefined },
): Promise<Organization> {
  return inTx(ctx, async (ctx) => {
    const { organization_id, actor } = await organizationFor(ctx.db, ctx.actor, 'organization.manage', slug);
    const changed = {
      ...(i.name === undefined ? {} : { name: storableText(i.name) }),
      ...(i.auto_join_role === undefined ? {} : { auto_join_role: i.auto_join_role }),
    };
    if (Object.keys(changed).length > 0) {
      await ctx.db('organizations').where({ organization_id }).update(changed);
      if (changed.name !== undefined) await ctx.db('users').where({ user_id: organization_id }).update({ name: changed.name });
      await audit({ ...ctx, actor }, 'organization.update', { organization: organization_id }, changed);
    }
    return getOrganization(ctx, { slug });
  });
}
