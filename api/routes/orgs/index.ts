// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { organizationRoutes } from './organizations.ts';
import { scimRoutes } from './scim.ts';

export const orgsArea = { organizations: organizationRoutes } satisfies AreaHandlers;
import type { AreaHandlers } from '../../http/handlers.ts';
import { complianceRoutes } from './compliance.ts';

export const orgsArea = { compliance: complianceRoutes } satisfies AreaHandlers;
export const orgsArea = { organizations: organizationRoutes, scim: scimRoutes } satisfies AreaHandlers;
