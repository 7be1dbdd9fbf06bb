// What clients of SCIM ask beside the routes that the specification lists: groups and their members, single descriptions, searches by POST.
import { z } from 'zod';
import { group } from '../kit.ts';
import {
  ScimConditions,
  ScimDescriptionOut,
  ScimListOut,
  ScimParams,
  ScimPatchIn,
  ScimResourceIn,
  ScimResourceOut,
  ScimSearchIn,
  ScimSelection,
} from './scim.ts';

const GroupParams = ScimParams.extend({ group_id: z.string().min(1).max(200) });
const SchemaParams = ScimParams.extend({ schema: z.string().max(200) });
const TypeParams = ScimParams.extend({ type: z.string().max(100) });
const WRITES = [400, 401, 403, 404, 409, 412, 413, 415] as const;
const SEARCHES = [400, 401, 403, 404, 413, 415] as const;

export const scimBeside = group({
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
});
