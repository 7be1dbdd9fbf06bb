// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { adminRoutes } from './admin.ts';
import { platformRoutes } from './platform.ts';
import { scmWebhookRoutes } from './scm-webhooks.ts';

export const platformArea = { admin: adminRoutes, platform: platformRoutes, scmWebhooks: scmWebhookRoutes } satisfies AreaHandlers;
