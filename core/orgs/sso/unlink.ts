import { audit } from '../../kernel/audit.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { inTx } from '../../kernel/tx.ts';
import { lockMembers } from '../member/find.ts';
import { endSsoOf } from '../member/end-sso.ts';

/**
 * A person takes back what they linked, whatever the organization demands: it is their account. @throws
 * NotFound sso_not_linked
 */
export async function unlink(ctx: Ctx, { slug }: { slug: string }): Promise<void> {
  const user_id = personOf(requireUser(ctx, 'organization.sso_unlink'));
  await inTx(ctx, async (ctx) => {
    const of = await ctx
      .db('organizations as o')
      .join('sso_identities as i', 'i.organization_id', 'o.organization_id')
      .where({ 'o.slug': slug, 'i.user_id': user_id })
      .whereNotNull('i.linked_at')
      .first('o.organization_id');
    if (!of) throw new NotFound('sso_not_linked', `Your account is not linked to the provider of ${slug}: there is nothing to take back`);
    // A sign-in that is under way is over before, or finds no link.
    await lockMembers(ctx.db, of.organization_id);
    await endSsoOf(ctx.db, { ...of, user_id }, ctx.clock());
    await audit(ctx, 'organization.sso_unlink', { user: user_id }, {}, of.organization_id);
  });
}
