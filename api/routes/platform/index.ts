// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { adminRoutes } from './admin.ts';
import { installationRoutes } from './installation.ts';
import { doctorRoutes } from './doctor.ts';
import { machineryRoutes } from './machinery.ts';
import { payoutsAdminRoutes } from './payouts.ts';
import { planRoutes } from './plans.ts';
import { platformRoutes } from './platform.ts';
import { scmWebhookRoutes } from './scm-webhooks.ts';
import { workerBuildRoutes } from './worker-builds.ts';

export const platformArea = {
  admin: adminRoutes,
  installation: installationRoutes,
  doctor: doctorRoutes,
  machinery: machineryRoutes,
  payoutsAdmin: payoutsAdminRoutes,
  plans: planRoutes,
  platform: platformRoutes,
  scmWebhooks: scmWebhookRoutes,
  workerBuilds: workerBuildRoutes,
} satisfies AreaHandlers;
