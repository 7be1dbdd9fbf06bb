// SCIM 2.0 (RFC 7643, RFC 7644): an organization's identity provider says who its people are. Names on the
// wire are the protocol's.
import { z } from 'zod';
import { group } from '../kit.ts';
import { OrganizationSlug } from './organizations.ts';

export const SCIM_PREFIX = '/v1/scim';
export const SCIM_ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';
export const SCIM_LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const SCIM_PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const SCIM_USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const SCIM_GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
/** Resources of one answer. */
export const SCIM_MAX_RESULTS = 200;
const INT32 = 2_147_483_647;

export const ScimError = z
  .strictObject({
    schemas: z.array(z.literal(SCIM_ERROR_SCHEMA)),
    status: z.string().meta({ description: 'The status of the answer, as text.' }),
    scimType: z.enum(['invalidFilter', 'invalidPath', 'invalidValue', 'invalidSyntax', 'noTarget', 'mutability', 'uniqueness']).optional(),
    detail: z.string(),
  })
  .meta({ id: 'ScimError' });
export type ScimError = z.infer<typeof ScimError>;

const ScimMeta = z
  .strictObject({
    resourceType: z.string(),
    created: z.string().meta({ format: 'date-time' }).optional(),
    lastModified: z.string().meta({ format: 'date-time' }).optional(),
    location: z.string(),
    version: z.string().optional().meta({ description: 'The entity tag: what If-Match and If-None-Match take.' }),
  })
  .partial()
  .meta({ id: 'ScimMeta' });

/**
 * Attributes have names in any case, and more of them may be sent than are kept: what they may hold is
 * checked by the schemas at …/Schemas.
 */
export const ScimResourceIn = z
  .looseObject({})
  .meta({ id: 'ScimResourceIn', description: 'A SCIM resource. Its attributes are described at …/Schemas; others are passed over.' });

export const ScimPatchIn = z.looseObject({}).meta({
  id: 'ScimPatchIn',
  description: 'A PatchOp of RFC 7644 §3.5.2: "schemas", and "Operations" with "op", "path" and "value".',
  examples: [{ schemas: [SCIM_PATCH_SCHEMA], Operations: [{ op: 'replace', path: 'active', value: false }] }],
});

export const ScimResourceOut = z
  .looseObject({ schemas: z.array(z.string()), id: z.string(), externalId: z.string().optional(), meta: ScimMeta.optional() })
  .meta({ id: 'ScimResourceOut', description: 'A SCIM resource. Its attributes are described at …/Schemas.' });

export const ScimDescriptionOut = z
  .looseObject({ schemas: z.array(z.string()) })
  .meta({ id: 'ScimDescriptionOut', description: 'What there is, as RFC 7643 §5 to §7 describe it.' });

export const ScimListOut = z
  .strictObject({
    schemas: z.array(z.literal(SCIM_LIST_SCHEMA)),
    totalResults: z.int().min(0),
    startIndex: z.int().min(1),
    itemsPerPage: z.int().min(0),
    Resources: z.array(z.looseObject({ schemas: z.array(z.string()) })),
  })
  .meta({ id: 'ScimListOut' });

/** Of what is left out, the attributes of the schema are answered. */
const selection = {
  attributes: z.string().max(4_096).optional().meta({ description: 'Only these, with commas between them; id and schemas always are.' }),
  excludedAttributes: z.string().max(4_096).optional().meta({ description: 'All but these.' }),
};

const listing = {
  ...selection,
  filter: z
    .string()
    .max(4_096)
    .optional()
    .meta({ description: 'RFC 7644 §3.4.2.2: eq, ne, co, sw, ew, gt, ge, lt, le, pr, and, or, not, values in brackets.', examples: ['userName pr'] }),
  sortBy: z.string().max(300).optional().meta({ description: 'Path of an attribute; absent: in the order in which they were made.' }),
  sortOrder: z.enum(['ascending', 'descending']).default('ascending'),
  startIndex: z.int().min(-INT32).max(INT32).default(1).meta({ description: 'Number of the first result, from 1; lower ones mean 1.' }),
  count: z
    .int()
    .min(-INT32)
    .max(INT32)
    .default(100)
    .meta({ description: `At most this many, and at most ${SCIM_MAX_RESULTS}; 0: only how many there are.` }),
};

export const ScimSelection = z.object(selection);
export const ScimListing = z.object(listing);
export type ScimListing = z.output<typeof ScimListing>;

/** RFC 7644 §3.4.3. */
export const ScimSearchIn = z
  .object({
    schemas: z.array(z.string()).optional(),
    ...listing,
    attributes: z.array(z.string().max(300)).max(200).optional(),
    excludedAttributes: z.array(z.string().max(300)).max(200).optional(),
  })
  .meta({ id: 'ScimSearchIn', description: 'As the query of a list; attributes are lists here.' });

export const ScimParams = z.object({ slug: OrganizationSlug });
const ScimUserParams = ScimParams.extend({ user_id: z.string().min(1).max(200) });

const Conditions = z.object({ 'if-match': z.string().max(4_096).optional(), 'if-none-match': z.string().max(4_096).optional() });
export const ScimConditions = Conditions;
export type ScimConditions = z.output<typeof Conditions>;

const READS = [401, 403, 404] as const;
const WRITES = [400, 401, 402, 403, 404, 409, 412, 413, 415] as const;

export const scim = group({
  serviceProviderConfig: {
    at: 'GET /v1/scim/{slug}/v2/ServiceProviderConfig',
    summary: 'Read which parts of SCIM are supported',
    scope: 'scim',
    params: ScimParams,
    out: ScimDescriptionOut,
    errors: [...READS],
  },
  resourceTypes: {
    at: 'GET /v1/scim/{slug}/v2/ResourceTypes',
    summary: 'The types of resources: User and Group',
    scope: 'scim',
    params: ScimParams,
    out: ScimListOut,
    errors: [...READS],
  },
  schemas: {
    at: 'GET /v1/scim/{slug}/v2/Schemas',
    summary: 'The schemas of the resources',
    scope: 'scim',
    params: ScimParams,
    out: ScimListOut,
    errors: [...READS],
  },
  users: {
    at: 'GET /v1/scim/{slug}/v2/Users',
    summary: 'The provisioned users, disabled ones too',
    scope: 'scim',
    params: ScimParams,
    query: ScimListing,
    out: ScimListOut,
    errors: [400, ...READS],
  },
  createUser: {
    at: 'POST /v1/scim/{slug}/v2/Users',
    summary: 'Provision a user: the organization invites them, or they are its member already',
    scope: 'scim',
    params: ScimParams,
    query: ScimSelection,
    body: ScimResourceIn,
    out: ScimResourceOut,
    status: 201,
    errors: [400, 401, 402, 403, 404, 409, 413, 415],
  },
  user: {
    at: 'GET /v1/scim/{slug}/v2/Users/{user_id}',
    summary: 'One user',
    scope: 'scim',
    params: ScimUserParams,
    query: ScimSelection,
    headers: Conditions,
    out: ScimResourceOut,
    conditional: true,
    errors: [400, ...READS, 412],
  },
  replaceUser: {
    at: 'PUT /v1/scim/{slug}/v2/Users/{user_id}',
    summary: 'Replace a user: what is left out is no longer set',
    scope: 'scim',
    params: ScimUserParams,
    query: ScimSelection,
    headers: Conditions,
    body: ScimResourceIn,
    out: ScimResourceOut,
    errors: [...WRITES],
  },
  patchUser: {
    at: 'PATCH /v1/scim/{slug}/v2/Users/{user_id}',
    summary: 'Change attributes of a user; active false suspends the member',
    scope: 'scim',
    params: ScimUserParams,
    query: ScimSelection,
    headers: Conditions,
    body: ScimPatchIn,
    out: ScimResourceOut,
    errors: [...WRITES],
  },
  deleteUser: {
    at: 'DELETE /v1/scim/{slug}/v2/Users/{user_id}',
    summary: 'Remove a user, and with them the member',
    scope: 'scim',
    params: ScimUserParams,
    headers: Conditions,
    status: 204,
    errors: [400, 401, 403, 404, 409, 412],
  },
  groups: {
    at: 'GET /v1/scim/{slug}/v2/Groups',
    summary: 'The provisioned groups',
    scope: 'scim',
    params: ScimParams,
    query: ScimListing,
    out: ScimListOut,
    errors: [400, ...READS],
  },
});
