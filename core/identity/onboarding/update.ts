import type { z } from 'zod';
import type { OnboardingOut, OnboardingPatchIn } from '#contract/identity/onboarding.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { inTx } from '../../kernel/tx.ts';
import { presentOnboarding } from './get.ts';

/** Dismissed again, it keeps the time of the first. */
export async function updateOnboarding(ctx: Ctx, i: z.infer<typeof OnboardingPatchIn>): Promise<z.infer<typeof OnboardingOut>> {
  const { user_id } = requireUser(ctx, 'onboarding.update');
  return inTx(ctx, async (ctx) => {
    const at = new Date(ctx.clock()).toISOString();
    await ctx.db('onboarding').insert({ user_id }).onConflict('user_id').ignore();
    await ctx
      .db('onboarding')
      .where({ user_id })
      .update({
        user_id,
        ...(i.tour_index === undefined ? {} : { tour_index: i.tour_index }),
        ...(i.dismissed === undefined ? {} : { dismissed_at: i.dismissed ? ctx.db.raw('coalesce(dismissed_at, ?)', [at]) : null }),
      });
    await audit(ctx, 'onboarding.update', { user: user_id }, { ...i });
    return presentOnboarding(ctx.db, user_id);
  });
}
