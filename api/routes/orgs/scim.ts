import type { scim } from '#contract/orgs/scim.ts';
import { resourceTypes, schemas, serviceProviderConfig } from '#core/orgs/scim/discovery.ts';
import { listScimGroups } from '#core/orgs/scim/group/read.ts';
import { isKnown } from '#core/orgs/scim/of.ts';
import type { Presented } from '#core/orgs/scim/user/present.ts';
import { getScimUser, listScimUsers } from '#core/orgs/scim/user/read.ts';
import { createScimUser, deleteScimUser, patchScimUser, replaceScimUser } from '#core/orgs/scim/user/write.ts';
import type { Handlers, Http, Reply } from '../../http/handlers.ts';

export const scimRoutes: Handlers<typeof scim> = {
  serviceProviderConfig: (ctx) => serviceProviderConfig(ctx),
  resourceTypes: (ctx) => resourceTypes(ctx),
  schemas: (ctx) => schemas(ctx),
  users: (ctx, { query }) => listScimUsers(ctx, query),
  createUser: async (ctx, { query, body }, http) => withHeaders(http, 201, await createScimUser(ctx, { ...query, body })),
  user: async (ctx, { params, query, headers }, http) => {
    const user = await getScimUser(ctx, { ...params, ...query });
    return withHeaders(http, isKnown(user.version, headers) ? 304 : 200, user);
  },
  replaceUser: async (ctx, { params, query, headers, body }, http) =>
    withHeaders(http, 200, await replaceScimUser(ctx, { ...params, ...query, body, conditions: headers })),
  patchUser: async (ctx, { params, query, headers, body }, http) =>
    withHeaders(http, 200, await patchScimUser(ctx, { ...params, ...query, body, conditions: headers })),
  deleteUser: (ctx, { params, headers }) => deleteScimUser(ctx, { ...params, conditions: headers }),
  groups: (ctx, { query }) => listScimGroups(ctx, query),
};

/** A resource says its version and its address in headers too. */
export function withHeaders<const S extends number>(http: Http, status: S, { document, etag, location }: Presented): Reply<Presented['document'], S> {
  return http.reply(status, document, { etag, ...(status === 201 ? { location } : { 'content-location': location }) });
}
