import type { featureFlags } from '#contract/identity/feature-flags.ts';
import { myFlags } from '#core/identity/feature-flag/mine.ts';
import type { Handlers } from '../../http/handlers.ts';

export const featureFlagRoutes: Handlers<typeof featureFlags> = { list: (ctx) => myFlags(ctx) };
