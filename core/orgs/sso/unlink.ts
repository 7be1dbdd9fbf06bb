import { act, done } from '../../kernel/act.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { lockMembers } from '../member/find.ts';
import { endSsoOf } from '../member/end-sso.ts';

/**
 * A person takes back what they linked, whatever the organization demands: it is their account. @throws
 * NotFound sso_not_linked
 */
export async function unlink(ctx: Ctx, { slug }: { slug: string }): Promise<void> {
  await act(ctx, 'organization.sso_unlink', requireUser, async (ctx, user) => {
    const user_id = personOf(user);
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
    return done({ user: user_id }, {}, undefined, { organizationId: of.organization_id });
  });
}
