import type { serviceAccess } from '#contract/identity/service-access.ts';
import { getServiceAccess } from '#core/identity/service-access/get.ts';
import type { Handlers } from '../../http/handlers.ts';

export const serviceAccessRoutes: Handlers<typeof serviceAccess> = { get: (ctx) => getServiceAccess(ctx) };
