import type { onboarding } from '#contract/identity/onboarding.ts';
import { getOnboarding } from '#core/identity/onboarding/get.ts';
import { updateOnboarding } from '#core/identity/onboarding/update.ts';
import type { Handlers } from '../../http/handlers.ts';

export const onboardingRoutes: Handlers<typeof onboarding> = {
  get: (ctx) => getOnboarding(ctx),
  update: (ctx, { body }) => updateOnboarding(ctx, body),
};
