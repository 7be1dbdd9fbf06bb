import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';

/** The accounts' values of it are deleted with it, by the foreign key. */
export async function deleteFlag(ctx: Ctx, i: { flag_key: string }): Promise<void> {
  await act(ctx, 'feature_flag.delete', requireOperator, async (ctx) => {
    const [gone] = await ctx.db('feature_flags').where(i).delete().returning(['default_value', 'type']);
    if (!gone) throw new NotFound('flag_not_found', `There is no feature flag ${i.flag_key}: list them`);
    return done({ feature_flag: i.flag_key }, gone);
  });
}
