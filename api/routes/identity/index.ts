// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { authRoutes } from './auth.ts';
import { featureFlagRoutes } from './feature-flags.ts';
import { serviceAccessRoutes } from './service-access.ts';
import { onboardingRoutes } from './onboarding.ts';

export const identityArea = {
  auth: authRoutes,
  featureFlags: featureFlagRoutes,
  onboarding: onboardingRoutes,
  serviceAccess: serviceAccessRoutes,
} satisfies AreaHandlers;
