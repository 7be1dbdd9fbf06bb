// The contract as an OpenAPI 3.1.0 document, and its fingerprint.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ErrorResponse } from '#contract/error-response.ts';
import { knownCodes } from '#contract/errors/of-route.ts';
import { groupName, routesOf, specified, type DeclaredRoute } from '#contract/inventory.ts';
import { GROUP_DESCRIPTIONS } from '#contract/group-descriptions.ts';
import { errorStatuses, isSchema, locate, type BodySpec, type Group, type OutSpec, type RouteSpec, type Scope } from '#contract/kit.ts';
import { ScimError } from '#contract/orgs/scim.ts';
import { API_VERSION } from '#contract/api-version.ts';
import { descriptionOf, REASONS } from './openapi-descriptions.ts';
import { createComponents, type Components, type Json } from './json-schemas.ts';
import { SCIM_MEDIA } from './scim-form.ts';

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Access token of the identity provider, or a platform token. With the header `Svc-Organization: <slug>` a person acts for that organization, of which they are an active member.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-svc_session',
    description: 'Browser session on the dashboard origin; changes are refused when another site sends them.',
  },
  agentApiToken: { type: 'apiKey', in: 'query', name: 'integration_token', description: 'Token of one agent, in the query of an integration link.' },
  agentApiTokenHeader: { type: 'http', scheme: 'bearer', description: 'The same token as `Authorization: Bearer`.' },
  sourceToken: { type: 'http', scheme: 'bearer', description: 'Token of one repository (sourceEditor.createToken), good for 15 minutes.' },
  platform: { type: 'http', scheme: 'bearer', description: 'Token of a platform service.' },
  scim: { type: 'http', scheme: 'bearer', description: 'SCIM token of one organization.' },
};

const SIGNED_IN = [{ bearer: [] }, { session: [] }];
const AGENT_TOKEN = [{ agentApiToken: [] }, { agentApiTokenHeader: [] }, { bearer: [] }];
const SECURITY: Record<Scope, Json[]> = {
  run: [],
  'source-token': [{ sourceToken: [] }, ...SIGNED_IN],
  none: [],
  public: [],
  optional: [{}, ...SIGNED_IN],
  authenticated: SIGNED_IN,
  account: SIGNED_IN,
  operator: SIGNED_IN,
  platform: [{ platform: [] }],
  scim: [{ scim: [] }],
  'agent-token': AGENT_TOKEN,
  'optional,agent-token': [{}, ...AGENT_TOKEN],
};

const GENERATORS =
  'Generating a client: openapi-generator (TypeScript, Python, Java) and oapi-codegen take this document as it is. openapi-typescript makes members that have a default optional with ' +
  '`--default-non-nullable=false`. openapi-python-client knows no newline-delimited JSON and no parts of uploads: give it `--config` with ' +
  '`content_type_overrides: {application/x-ndjson: text/plain, application/offset+octet-stream: application/octet-stream}`, and lines of JSON are text. ogen leaves ' +
  'out streams of events and some choices between objects with `ignore_not_implemented: [all]`.';

/** Whose routes: all, or only those that the specification names. */
export type Origin = 'all' | 'specification';

/** The whole document. */
export function openApiDocument(contract: Record<string, Group>, baseUrl: string, origin: Origin = 'all'): Json {
  const components = createComponents();
  const every = routesOf(contract);
  const named = specified(every);
  const routes = origin === 'specification' ? named : every;
  const groups = new Set(routes.map(({ group }) => group));
  const failures = {
    json: { 'application/json': { schema: components.use(ErrorResponse, 'output') } },
    scim: { [SCIM_MEDIA]: { schema: components.use(ScimError, 'output') } },
  };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { method, path } = locate(route.spec);
    const template = path.replace(/\{(\w+):path\}/g, '{$1}');
    (paths[template] ??= {})[method.toLowerCase()] = operation(route, components, route.spec.scope === 'scim' ? failures.scim : failures.json);
  }
  const { document, schemas } = components.settle(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control Plane',
      version: API_VERSION,
      description: `Where agents live: deploy them, call them, let them call each other, and keep signed receipts of every call.\n\n${GENERATORS}`,
      contact: { name: 'The operator of this installation', url: baseUrl },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    'x-svc-fingerprint': fingerprint(named.map(({ spec }) => spec)),
    servers: [{ url: baseUrl }],
    tags: Object.keys(contract)
      .filter((key) => groups.has(groupName(key)))
      .map((key) => ({ name: groupName(key), description: isDescribed(key) ? GROUP_DESCRIPTIONS[key] : '' })),
    paths: inOrder(document),
    components: { schemas, securitySchemes: SECURITY_SCHEMES },
  };
}

function isDescribed(key: string): key is keyof typeof GROUP_DESCRIPTIONS {
  return key in GROUP_DESCRIPTIONS;
}

/** Last what is `mine`: linters name it once then, and not once for each path that it could be taken for. */
function inOrder(paths: Json): Json {
  return Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => Number(a.includes('/mine/{')) - Number(b.includes('/mine/{'))));
}

/**
 * Over the routes that the specification names; equal for equal sets, whatever their order: sha256 over the
 * sorted lines `METHOD path scope`.
 */
export function fingerprint(routes: Pick<RouteSpec, 'at' | 'scope'>[]): string {
  return createHash('sha256')
    .update(
      routes
        .map(({ at, scope }) => `${at} ${scope}`)
        .sort()
        .join('\n'),
    )
    .digest('hex');
}

function operation({ id, group, spec }: DeclaredRoute, components: Components, failure: Json): Json {
  // What the server refuses before it knows the route.
  const unread = [...(spec.body === undefined ? [] : [408, 415]), 431];
  const refusals = [...new Set([...errorStatuses(spec), ...unread])].map((status) => [
    status,
    { description: REASONS[status], content: failure, ...retryHeader(status), ...codesOf(spec, status) },
  ]);
  const success = spec.status ?? 200;
  const content = spec.out && {
    ...contentOf(spec.out, components, mediaOfJson(spec)),
    ...(spec.picture && { 'image/svg+xml': { schema: { type: 'string' } } }),
  };
  return {
    operationId: id,
    tags: [group],
    summary: spec.summary,
    description: descriptionOf(spec),
    security: spec.linked || spec.signed !== undefined ? [{}, ...SECURITY[spec.scope]] : SECURITY[spec.scope],
    'x-svc-scope': spec.scope,
    'x-svc-origin': spec.origin ?? 'specification',
    ...parameters(spec, components),
    ...(spec.body ? { requestBody: requestBody(spec.body, components, mediaOfJson(spec)) } : {}),
    responses: Object.fromEntries([
      [success, { description: REASONS[success], ...linkHeader(spec), ...(content ? { content } : {}) }],
      ...(spec.ranges
        ? [
            [206, { description: REASONS[206], ...(content ? { content } : {}) }],
            [304, { description: REASONS[304] }],
          ]
        : []),
      ...(spec.conditional ? [[304, { description: REASONS[304] }]] : []),
      ...(spec.defers ? [[202, { description: REASONS[202], ...(content ? { content } : {}) }]] : []),
      ...(spec.redirects ? [[302, { description: REASONS[302], headers: { Location: { schema: { type: 'string' } } } }]] : []),
      ...refusals,
    ]),
  };
}

/** The codes that follow from the declaration; others may occur. docs/errors.md explains each. */
function codesOf(spec: RouteSpec, status: number): Json {
  // SCIM answers carry a scimType instead.
  const codes = spec.scope === 'scim' ? [] : knownCodes(spec, status);
  return codes.length === 0 ? {} : { 'x-svc-codes': codes };
}

function parameters(spec: RouteSpec, components: Components): Json {
  const all = [
    ...membersOf(spec.params, 'path', components),
    ...membersOf(spec.query, 'query', components),
    // OpenAPI says the media type of a body at the body, and ignores such a header.
    ...membersOf(spec.headers, 'header', components).filter(({ name }) => name !== 'content-type'),
    ...cookiesOf(spec),
  ];
  return all.length === 0 ? {} : { parameters: all };
}

function cookiesOf({ cookies = {} }: RouteSpec): Json[] {
  return Object.entries(cookies).map(([name, description]) => ({ name, in: 'cookie', required: false, description, schema: { type: 'string' } }));
}

function membersOf(schema: z.core.$ZodObject | undefined, place: 'path' | 'query' | 'header', components: Components): Json[] {
  return Object.entries(schema?._zod.def.shape ?? {}).map(([name, member]) => {
    const { description, ...json } = components.use(member, 'input');
    const required = place === 'path' || isRequired(member);
    return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: json };
  });
}

function isRequired(schema: z.core.$ZodType): boolean {
  return !z.core.safeParse(schema, undefined).success;
}

function requestBody(body: BodySpec, components: Components, json: string): Json {
  if (isSchema(body)) return { required: isRequired(body), content: { [json]: { schema: components.use(body, 'input') } } };
  if (body.kind === 'multipart') return { required: true, content: { 'multipart/form-data': { schema: components.use(body.fields, 'input') } } };
  return { required: true, content: { [mediaOf(body.media)]: { schema: { type: 'string', format: 'binary' } } } };
}

function contentOf(out: OutSpec, components: Components, json: string): Json {
  if (isSchema(out)) return { [json]: { schema: components.use(out, 'output') } };
  if (out.kind === 'bytes') return { [mediaOf(out.media)]: { schema: { type: 'string', format: 'binary' } } };
  if (out.kind === 'ndjson') return { 'application/x-ndjson': { schema: components.use(out.line, 'output') } };
  if (out.kind === 'event-stream') return { 'text/event-stream': { schema: eventOf(jsonText(components.use(out.event, 'output'))) } };
  return { 'application/json': { schema: components.use(out.json, 'output') }, 'text/event-stream': { schema: eventOf({ type: 'string' }) } };
}

function jsonText(schema: Json): Json {
  return { type: 'string', contentMediaType: 'application/json', contentSchema: schema };
}

/** One event of a stream, as OpenAPI 3.2 describes it. */
function eventOf(data: Json): Json {
  const members = { id: { type: 'string' }, event: { type: 'string' }, data };
  return { type: 'object', description: 'Each event of the stream.', properties: members, required: ['data'] };
}

function mediaOfJson({ scope }: RouteSpec): string {
  return scope === 'scim' ? SCIM_MEDIA : 'application/json';
}

/** Bytes of any type; a range of types is what generators leave out. */
function mediaOf(media: string): string {
  return media === '*/*' ? 'application/octet-stream' : media;
}

function linkHeader({ pagesByLink }: RouteSpec): Json {
  return pagesByLink ? { headers: { Link: { description: 'The next page, with rel="next"; absent on the last.', schema: { type: 'string' } } } } : {};
}

function retryHeader(status: number): Json {
  return status === 429 ? { headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } } } : {};
}
