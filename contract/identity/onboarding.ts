// First steps of an account. They are derived from its records; no request can mark one as complete.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';

/** In the order in which they are offered. */
export const ONBOARDING_STEPS = ['model_key', 'first_agent', 'first_call'] as const;
const OnboardingStep = z.enum(ONBOARDING_STEPS).meta({
  id: 'OnboardingStep',
  description: 'model_key: the account has a model credential. first_agent: it has an agent. first_call: a call of its user succeeded.',
});

/** Pages of the tour through the dashboard: one before the steps, one for each, one after them. */
export const TOUR_TOTAL = ONBOARDING_STEPS.length + 2;

export const OnboardingPatchIn = z
  .strictObject({
    tour_index: z.int().min(0).max(TOUR_TOTAL).optional().meta({ description: 'Pages of the tour that were shown.' }),
    dismissed: z.boolean().optional().meta({ description: 'true puts the steps away, false shows them again. No step is complete by that.' }),
  })
  .meta({ id: 'OnboardingPatchIn' });

export const OnboardingOut = z
  .strictObject({
    current_step: OnboardingStep.nullable().meta({ description: 'The first that is not complete; null: all are.' }),
    steps: z.array(z.strictObject({ step: OnboardingStep, completed_at: Instant.nullable() })),
    completed_at: Instant.nullable().meta({ description: 'When the last step was complete; null while one is not, dismissed or not.' }),
    tour_index: z.int().min(0).max(TOUR_TOTAL),
    tour_total: z.int().min(1),
    dismissed_at: Instant.nullable(),
  })
  .meta({ id: 'OnboardingOut' });

export const onboarding = group({
  get: {
    at: 'GET /v1/me/onboarding',
    summary: 'First steps of the account: which are complete, and since when',
    description: 'A step opens again when its reason is gone, for example when the only agent was deleted.',
    scope: 'account',
    personal: true,
    out: OnboardingOut,
    errors: [401, 403],
  },
  update: {
    at: 'PATCH /v1/me/onboarding',
    summary: 'Note how far the tour went, or put the first steps away',
    scope: 'account',
    personal: true,
    body: OnboardingPatchIn,
    out: OnboardingOut,
    errors: [401, 403],
  },
});
