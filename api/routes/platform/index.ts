// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { adminRoutes } from './admin.ts';
import { payoutsAdminRoutes } from './payouts.ts';
import { platformRoutes } from './platform.ts';
import { scmWebhookRoutes } from './scm-webhooks.ts';

export const platformArea = {
  admin: adminRoutes,
  payoutsAdmin: payoutsAdminRoutes,
  platform: platformRoutes,
  scmWebhooks: scmWebhookRoutes,
} satisfies AreaHandlers;
