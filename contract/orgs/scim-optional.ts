// What SCIM 2.0 leaves to its servers (RFC 7644): writing groups, single descriptions, searches by POST, bulk
// requests.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import {
  SCIM_GROUP_SCHEMA,
  SCIM_USER_SCHEMA,
  ScimConditions,
  ScimDescriptionOut,
  ScimError,
  ScimListOut,
  ScimParams,
  ScimPatchIn,
  ScimResourceIn,
  ScimResourceOut,
  ScimSearchIn,
  ScimSelection,
} from './scim.ts';

const SCIM_BULK_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
export const SCIM_BULK_ANSWER_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';
/** Operations of one bulk request. */
export const SCIM_BULK_MAX_OPERATIONS = 1_000;
/** Of the body of a bulk request. */
export const SCIM_BULK_MAX_BYTES = 1_048_576;

const ScimBulkIn = z.looseObject({}).meta({
  id: 'ScimBulkIn',
  description:
    'A BulkRequest of RFC 7644 §3.7: "schemas", "failOnErrors", and "Operations" with "method", "path", "bulkId", "version" and "data". `bulkId:x` in data or path stands for the id of what the POST with the bulkId x makes, before it or after it.',
  examples: [
    {
      schemas: [SCIM_BULK_SCHEMA],
      failOnErrors: 1,
      Operations: [
        { method: 'POST', path: '/Users', bulkId: 'ada', data: { schemas: [SCIM_USER_SCHEMA], userName: 'ada@acme.example' } },
        { method: 'POST', path: '/Groups', bulkId: 'team', data: { schemas: [SCIM_GROUP_SCHEMA], displayName: 'Team', members: [{ value: 'bulkId:ada' }] } },
      ],
    },
  ],
});

export const ScimBulkOut = z
  .strictObject({
    schemas: z.array(z.literal(SCIM_BULK_ANSWER_SCHEMA)),
    Operations: z.array(
      z
        .strictObject({
          method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
          bulkId: z.string().optional(),
          location: z.string().optional().meta({ description: 'Address of the resource; absent where a POST failed.' }),
          version: z.string().optional(),
          status: z.string().meta({ description: 'The status that the operation would get as a single request, as text.' }),
          response: ScimError.optional().meta({ description: 'Why it failed.' }),
        })
        .meta({ id: 'ScimBulkOperationOut' }),
    ),
  })
  .meta({ id: 'ScimBulkOut', description: 'In the order of the request. Where failOnErrors ended it, only the operations that were tried.' });

const GroupParams = ScimParams.extend({ group_id: z.string().min(1).max(200) });
const SchemaParams = ScimParams.extend({ schema: z.string().max(200) });
const TypeParams = ScimParams.extend({ type: z.string().max(100) });
const WRITES = [400, 401, 403, 404, 409, 412, 413, 415] as const;
const SEARCHES = [400, 401, 403, 404, 413, 415] as const;

export const scimOptional = svcGroup({
  schema: {
    at: 'GET /v1/scim/{slug}/v2/Schemas/{schema}',
    summary: 'One schema',
    scope: 'scim',
    params: SchemaParams,
    out: ScimDescriptionOut,
    errors: [401, 403, 404],
  },
  resourceType: {
    at: 'GET /v1/scim/{slug}/v2/ResourceTypes/{type}',
    summary: 'One type of resources',
    scope: 'scim',
    params: TypeParams,
    out: ScimDescriptionOut,
    errors: [401, 403, 404],
  },
  createGroup: {
    at: 'POST /v1/scim/{slug}/v2/Groups',
    summary: 'Provision a group',
    scope: 'scim',
    params: ScimParams,
    query: ScimSelection,
    body: ScimResourceIn,
    out: ScimResourceOut,
    status: 201,
    errors: [400, 401, 403, 404, 409, 413, 415],
  },
  group: {
    at: 'GET /v1/scim/{slug}/v2/Groups/{group_id}',
    summary: 'One group, with its members',
    scope: 'scim',
    params: GroupParams,
    query: ScimSelection,
    headers: ScimConditions,
    out: ScimResourceOut,
    conditional: true,
    errors: [400, 401, 403, 404, 412],
  },
  replaceGroup: {
    at: 'PUT /v1/scim/{slug}/v2/Groups/{group_id}',
    summary: 'Replace a group and its members',
    scope: 'scim',
    params: GroupParams,
    query: ScimSelection,
    headers: ScimConditions,
    body: ScimResourceIn,
    out: ScimResourceOut,
    errors: [...WRITES],
  },
  patchGroup: {
    at: 'PATCH /v1/scim/{slug}/v2/Groups/{group_id}',
    summary: 'Rename a group, add and remove members',
    scope: 'scim',
    params: GroupParams,
    query: ScimSelection,
    headers: ScimConditions,
    body: ScimPatchIn,
    out: ScimResourceOut,
    errors: [...WRITES],
  },
  deleteGroup: {
    at: 'DELETE /v1/scim/{slug}/v2/Groups/{group_id}',
    summary: 'Remove a group: its members keep what other groups give them',
    scope: 'scim',
    params: GroupParams,
    headers: ScimConditions,
    status: 204,
    errors: [400, 401, 403, 404, 412],
  },
  search: {
    at: 'POST /v1/scim/{slug}/v2/.search',
    summary: 'A list of users and groups, asked for by POST',
    scope: 'scim',
    params: ScimParams,
    body: ScimSearchIn,
    out: ScimListOut,
    errors: [...SEARCHES],
  },
  searchUsers: {
    at: 'POST /v1/scim/{slug}/v2/Users/.search',
    summary: 'A list of users, asked for by POST',
    scope: 'scim',
    params: ScimParams,
    body: ScimSearchIn,
    out: ScimListOut,
    errors: [...SEARCHES],
  },
  searchGroups: {
    at: 'POST /v1/scim/{slug}/v2/Groups/.search',
    summary: 'A list of groups, asked for by POST',
    scope: 'scim',
    params: ScimParams,
    body: ScimSearchIn,
    out: ScimListOut,
    errors: [...SEARCHES],
  },
  bulk: {
    at: 'POST /v1/scim/{slug}/v2/Bulk',
    summary: 'Many changes of users and groups, each handled like a single request',
    scope: 'scim',
    params: ScimParams,
    body: ScimBulkIn,
    bodyBytes: SCIM_BULK_MAX_BYTES,
    out: ScimBulkOut,
    errors: [...SEARCHES],
  },
});
