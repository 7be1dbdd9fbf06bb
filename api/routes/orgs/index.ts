// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { organizationApprovalRoutes } from './approvals.ts';
import { complianceExportRoutes, complianceRoutes } from './compliance.ts';
import { organizationScimRoutes } from './organization-scim.ts';
import { organizationSettingsRoutes } from './organization-settings.ts';
import { organizationRoutes } from './organizations.ts';
import { scimOptionalRoutes } from './scim-optional.ts';
import { scimRoutes } from './scim.ts';
import { organizationSsoRoutes } from './sso.ts';

export const orgsArea = {
  compliance: { ...complianceRoutes, ...complianceExportRoutes },
  organizationApprovals: organizationApprovalRoutes,
  organizations: { ...organizationRoutes, ...organizationSettingsRoutes },
  organizationScim: organizationScimRoutes,
  organizationSso: organizationSsoRoutes,
  scim: { ...scimRoutes, ...scimOptionalRoutes },
} satisfies AreaHandlers;
