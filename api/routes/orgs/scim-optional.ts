import type { z } from 'zod';
import type { ScimListing, ScimSearchIn } from '#contract/orgs/scim.ts';
import { SCIM_BULK_ANSWER_SCHEMA, type ScimBulkOut, type scimOptional } from '#contract/orgs/scim-optional.ts';
import { type BulkOutcome, bulkScim } from '#core/orgs/scim/bulk/perform.ts';
import { resourceType, schema } from '#core/orgs/scim/discovery.ts';
import { getScimGroup, listScimGroups } from '#core/orgs/scim/group/read.ts';
import { createScimGroup, deleteScimGroup, patchScimGroup, replaceScimGroup } from '#core/orgs/scim/group/write.ts';
import { isKnown } from '#core/orgs/scim/of.ts';
import { searchScim } from '#core/orgs/scim/search.ts';
import { listScimUsers } from '#core/orgs/scim/user/read.ts';
import type { Handlers, Http } from '../../http/handlers.ts';
import { inScimForm } from '../../http/scim-form.ts';
import { withHeaders } from './scim.ts';

export const scimOptionalRoutes: Handlers<typeof scimOptional> = {
  schema: (ctx, { params }) => schema(ctx, params),
  resourceType: (ctx, { params }) => resourceType(ctx, params),
  createGroup: async (ctx, { query, body }, http) => withHeaders(http, 201, await createScimGroup(ctx, { ...query, body })),
  group: async (ctx, { params, query, headers }, http) => {
    const group = await getScimGroup(ctx, { ...params, ...query });
    return withHeaders(http, isKnown(group.version, headers) ? 304 : 200, group);
  },
  replaceGroup: async (ctx, { params, query, headers, body }, http) =>
    withHeaders(http, 200, await replaceScimGroup(ctx, { ...params, ...query, body, conditions: headers })),
  patchGroup: async (ctx, { params, query, headers, body }, http) =>
    withHeaders(http, 200, await patchScimGroup(ctx, { ...params, ...query, body, conditions: headers })),
  deleteGroup: (ctx, { params, headers }) => deleteScimGroup(ctx, { ...params, conditions: headers }),
  search: (ctx, { body }) => searchScim(ctx, asQuery(body)),
  searchUsers: (ctx, { body }) => listScimUsers(ctx, asQuery(body)),
  searchGroups: (ctx, { body }) => listScimGroups(ctx, asQuery(body)),
  bulk: async (ctx, { body }, http) => {
    const outcomes = await bulkScim(ctx, { body, signal: http.signal });
    return { schemas: [SCIM_BULK_ANSWER_SCHEMA], Operations: outcomes.map((one) => bulkAnswer(http, one)) };
  },
};

const DONE = { POST: '201', PUT: '200', PATCH: '200', DELETE: '204' };

function bulkAnswer(http: Http, { operation: { method, bulkId }, location, etag, error }: BulkOutcome): z.input<typeof ScimBulkOut>['Operations'][number] {
  const response = error === undefined ? undefined : inScimForm(http.refusal(error));
  return {
    method,
    ...(bulkId !== undefined && { bulkId }),
    ...(location !== undefined && { location }),
    ...(etag !== undefined && { version: etag }),
    status: response?.status ?? DONE[method],
    ...(response && { response }),
  };
}

/** A query has lists as text. */
function asQuery({ attributes, excludedAttributes, ...rest }: z.output<typeof ScimSearchIn>): ScimListing {
  return { ...rest, attributes: attributes?.join(','), excludedAttributes: excludedAttributes?.join(',') };
}
