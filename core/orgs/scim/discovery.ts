// What of SCIM there is here, in its own words (RFC 7643 §5 to §7). It says what works, and nothing more.
import { SCIM_MAX_RESULTS } from '#contract/orgs/scim.ts';
import { SCIM_BULK_MAX_BYTES, SCIM_BULK_MAX_OPERATIONS } from '#contract/orgs/scim-optional.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { Attribute, Document, ResourceKind, ScimSchema } from './schema/attribute.ts';
import { GROUPS } from './schema/group.ts';
import { USERS } from './schema/user.ts';
import { type ListAnswer, listAnswer } from './list.ts';
import { type ScimOrganization, scimOrganization } from './of.ts';

type Description = Document & { schemas: string[] };
const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const SCHEMAS = [USERS.schema, ...(USERS.extension ? [USERS.extension] : []), GROUPS.schema];

export function serviceProviderConfig(ctx: Pick<Ctx, 'actor' | 'config'>): Description {
  const { base } = scimOrganization(ctx, 'scim_user.read');
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    documentationUri: `${ctx.config.baseUrl}/docs/provisioning`,
    patch: { supported: true },
    bulk: { supported: true, maxOperations: SCIM_BULK_MAX_OPERATIONS, maxPayloadSize: SCIM_BULK_MAX_BYTES },
    filter: { supported: true, maxResults: SCIM_MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      { type: 'oauthbearertoken', name: 'SCIM token', description: 'A token of the organization, as `Authorization: Bearer …`.', primary: true },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(ctx: Pick<Ctx, 'actor' | 'config'>): ListAnswer {
  const of = scimOrganization(ctx, 'scim_user.read');
  return whole([USERS, GROUPS].map((kind) => typeOf(of, kind)));
}

/** @throws NotFound scim_description_not_found */
export function resourceType(ctx: Pick<Ctx, 'actor' | 'config'>, i: { type: string }): Description {
  const of = scimOrganization(ctx, 'scim_user.read');
  const kind = [USERS, GROUPS].find(({ name }) => name.toLowerCase() === i.type.toLowerCase());
  if (!kind) throw notThere(i.type);
  return typeOf(of, kind);
}

export function schemas(ctx: Pick<Ctx, 'actor' | 'config'>): ListAnswer {
  const of = scimOrganization(ctx, 'scim_user.read');
  return whole(SCHEMAS.map((schema) => described(of, schema)));
}

/** @throws NotFound scim_description_not_found */
export function schema(ctx: Pick<Ctx, 'actor' | 'config'>, i: { schema: string }): Description {
  const of = scimOrganization(ctx, 'scim_user.read');
  const scimSchema = SCHEMAS.find(({ id }) => id.toLowerCase() === i.schema.toLowerCase());
  if (!scimSchema) throw notThere(i.schema);
  return described(of, scimSchema);
}

function notThere(name: string): NotFound {
  return new NotFound('scim_description_not_found', `There is nothing called ${name.slice(0, 200)}: list what there is`);
}

function whole(descriptions: Description[]): ListAnswer {
  return listAnswer({ total: descriptions.length, startIndex: 1 }, descriptions);
}

function typeOf({ base }: ScimOrganization, { name, endpoint, schema: own, extension }: ResourceKind): Description {
  return {
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    endpoint,
    description: own.description,
    schema: own.id,
    schemaExtensions: extension ? [{ schema: extension.id, required: false }] : [],
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  };
}

function described({ base }: ScimOrganization, { id, name, description, attributes }: ScimSchema): Description {
  return {
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes: attributes.filter(({ mutability }) => mutability !== 'ignored').map(attributeOf),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

function attributeOf(attribute: Attribute): Document {
  const { name, type, description, subAttributes, canonicalValues, referenceTypes } = attribute;
  return {
    name,
    type,
    multiValued: attribute.multiValued === true,
    description,
    required: attribute.required === true,
    ...(type !== 'boolean' && type !== 'complex' && { caseExact: attribute.caseExact === true }),
    mutability: attribute.mutability ?? 'readWrite',
    returned: attribute.returned ?? 'default',
    uniqueness: attribute.uniqueness ?? 'none',
    ...(canonicalValues && { canonicalValues }),
    ...(referenceTypes && { referenceTypes }),
    ...(subAttributes && { subAttributes: subAttributes.map(attributeOf) }),
  };
}
