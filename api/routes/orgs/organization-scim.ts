import type { organizationScim } from '#contract/orgs/organization-scim.ts';
import { getScimRoles, putScimRoles } from '#core/orgs/scim/settings/roles.ts';
import { seenGroups, seenUsers } from '#core/orgs/scim/settings/seen.ts';
import type { Handlers } from '../../http/handlers.ts';

export const organizationScimRoutes: Handlers<typeof organizationScim> = {
  users: (ctx, { params, query }) => seenUsers(ctx, { ...params, ...query }),
  groups: (ctx, { params, query }) => seenGroups(ctx, { ...params, ...query }),
  roles: (ctx, { params }) => getScimRoles(ctx, params),
  putRoles: (ctx, { params, body }) => putScimRoles(ctx, { ...params, ...body }),
};
