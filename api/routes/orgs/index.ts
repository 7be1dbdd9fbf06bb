// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { complianceRoutes } from './compliance.ts';
import { organizationRoutes } from './organizations.ts';
import { scimRoutes } from './scim.ts';

export const orgsArea = { compliance: complianceRoutes, organizations: organizationRoutes, scim: scimRoutes } satisfies AreaHandlers;
