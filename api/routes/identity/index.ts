// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { ssoSignInRoutes } from '../orgs/sso.ts';
import { authRoutes } from './auth.ts';
import { featureFlagRoutes } from './feature-flags.ts';
import { onboardingRoutes } from './onboarding.ts';
import { serviceAccessRoutes } from './service-access.ts';
import { signInRoutes } from './sign-ins.ts';

export const identityArea = {
  auth: { ...authRoutes, ...ssoSignInRoutes },
  featureFlags: featureFlagRoutes,
  onboarding: onboardingRoutes,
  serviceAccess: serviceAccessRoutes,
  signIns: signInRoutes,
} satisfies AreaHandlers;
