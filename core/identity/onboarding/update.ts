import type { z } from 'zod';
import type { OnboardingOut, OnboardingPatchIn } from '#contract/identity/onboarding.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { presentOnboarding } from './get.ts';

/** Dismissed again, it keeps the time of the first. */
export async function updateOnboarding(ctx: Ctx, i: z.infer<typeof OnboardingPatchIn>): Promise<z.infer<typeof OnboardingOut>> {
  return act(ctx, 'onboarding.update', requireUser, async (ctx, { user_id }) => {
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
    return done({ user: user_id }, { ...i }, await presentOnboarding(ctx.db, user_id));
  });
}
