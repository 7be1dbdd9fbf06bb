import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';

/** Its key is gone with it. Was it the default one, the one changed last takes its place. */
export async function deleteCredential(ctx: Ctx, i: { name: string }): Promise<void> {
  await act(ctx, 'llm_credential.delete', requireUser, async (ctx, { user_id }) => {
    await ctx.db('users').where({ user_id }).forUpdate().first('user_id');
    const [gone] = await ctx.db('llm_credentials').where({ user_id, name: i.name }).delete().returning(['credential_id', 'is_default']);
    if (!gone) throw new NotFound('credential_not_found', `There is no model credential "${i.name}"`);
    if (gone.is_default) {
      const next = ctx.db('llm_credentials').where({ user_id }).orderBy('updated_at', 'desc').limit(1).select('credential_id');
      await ctx.db('llm_credentials').whereIn('credential_id', next).update({ is_default: true });
    }
    return done({ llm_credential: gone.credential_id }, { name: i.name });
  });
}
