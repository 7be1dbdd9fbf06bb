import type { scimSettings } from '#contract/orgs/scim-settings.ts';
import { getScimRoles, putScimRoles } from '#core/orgs/scim/settings/roles.ts';
import { seenGroups, seenUsers } from '#core/orgs/scim/settings/seen.ts';
import type { Handlers } from '../../http/handlers.ts';

export const scimSettingsRoutes: Handlers<typeof scimSettings> = {
  users: (ctx, { params, query }) => seenUsers(ctx, { ...params, ...query }),
  groups: (ctx, { params, query }) => seenGroups(ctx, { ...params, ...query }),
  roles: (ctx, { params }) => getScimRoles(ctx, params),
  putRoles: (ctx, { params, body }) => putScimRoles(ctx, { ...params, ...body }),
};
