// The OpenAPI 3.1 description of one agent's own skills (POST /invoke/{skill}), made only from its card.
import { z } from 'zod';
import type { AgentCard, SkillCard } from './card.ts';
import { ErrorResponse } from '../error-response.ts';
import { endpointPaths } from './endpoint-openapi.ts';
import type { Endpoints } from './endpoints.ts';
import { AgentErrorBody } from './errors.ts';
import { withIntegerBounds } from './integer-bounds.ts';
import { withOneType } from './one-type.ts';

export interface AgentOpenApiOptions {
  /** Where the agent answers, without a trailing slash. */
  baseUrl: string;
  /** Callers need `Authorization: Bearer …`. */
  requireBearer: boolean;
  /** Only these skills, by id; default all. */
  skills?: readonly string[];
  /**
   * Who answers there: the agent at its own address (default), or the platform's API, which has more refusals
   * and takes a token in the query too.
   */
  of?: 'agent' | 'platform';
  /** Of svc.yaml, where the API answers; those of skills that are left out are left out too. */
  endpoints?: Endpoints;
}

type Json = Record<string, unknown>;

const REFUSALS: Record<number, string> = {
  400: 'The arguments do not fit; `issues` names each place',
  401: 'No token, or one that is not accepted',
  403: 'The caller lacks a scope, or the grant is not valid here',
  500: 'The skill failed',
  503: 'All places are taken, or the agent is not ready; see Retry-After',
  504: 'The skill did not finish in time',
};

/** In place of the agent's own, where the platform's API answers. */
const PLATFORM_REFUSALS: Record<number, string> = {
  400: 'The arguments cannot be used',
  401: 'No token, or one that is not accepted',
  402: 'The account must pay, or bring a model of its own, first',
  403: 'The caller may not call this, or lacks a scope',
  404: 'There is no such agent or skill',
  409: 'The agent is not live, or needs something of its caller first',
  405: 'The endpoint has not declared the method',
  413: 'The arguments or the answer are too large',
  422: 'The arguments do not fit; `issues` names each place',
  500: 'The platform failed',
  502: 'The agent failed or could not be reached; `agent_status` is its own status, where one was observed',
  503: 'All places are taken; see Retry-After',
  504: 'The agent did not answer in time',
};

const ofAgent = { body: AgentErrorBody, name: 'AgentErrorBody', refusals: REFUSALS };
const ofPlatform = { body: ErrorResponse, name: 'ErrorResponse', refusals: PLATFORM_REFUSALS };
type Refusals = Pick<typeof ofAgent, 'name' | 'refusals'>;

const QUERY_TOKEN = { type: 'apiKey', in: 'query', name: 'integration_token', description: 'For programs that cannot send headers.' };

/** @throws RangeError for a skill the card does not have */
export function agentOpenApi(card: AgentCard, { baseUrl, requireBearer, skills, of = 'agent', endpoints = {} }: AgentOpenApiOptions): Json {
  const chosen = skills ? skills.map((id) => skillOf(card, id)) : card.skills;
  const schemas: Record<string, Json> = {};
  const errors = of === 'platform' ? ofPlatform : ofAgent;
  schemas[errors.name] = hoisted(z.toJSONSchema(errors.body, { target: 'draft-2020-12', metadata: z.registry() }), errors.name, schemas);
  const paths: Record<string, Json> = Object.fromEntries(
    chosen.map((skill) => [`/invoke/${skill.id}`, { post: operation(skill, requireBearer, schemas, errors) }]),
  );
  const responses = (): Json => refusalsOf(requireBearer, errors, 413);
  Object.assign(paths, endpointPaths(endpoints, { skills: chosen, responses, hoist: (schema, prefix) => hoisted(schema, prefix, schemas) }));
  const byQuery = requireBearer && of === 'platform';
  return {
    openapi: '3.1.0',
    info: { title: card.name, version: card.version, description: card.description },
    servers: [{ url: baseUrl }],
    ...(requireBearer && { security: [{ bearer: [] }, ...(byQuery ? [{ integrationToken: [] }] : [])] }),
    paths,
    components: {
      schemas,
      ...(requireBearer && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, ...(byQuery && { integrationToken: QUERY_TOKEN }) } }),
    },
  };
}

function skillOf(card: AgentCard, id: string): SkillCard {
  const skill = card.skills.find((one) => one.id === id);
  if (!skill) throw new RangeError(`there is no skill "${id}"; ${card.name} has: ${card.skills.map((one) => one.id).join(', ')}`);
  return skill;
}

function operation(skill: SkillCard, requireBearer: boolean, schemas: Record<string, Json>, errors: Refusals): Json {
  return {
    operationId: skill.id,
    summary: skill.description || skill.id,
    ...(skill.tags.length > 0 && { tags: [...skill.tags] }),
    ...(skill.scopes.length > 0 && { 'x-required-scopes': [...skill.scopes] }),
    'x-stream': skill.stream,
    requestBody: { required: isRequired(skill), content: { 'application/json': { schema: hoisted(skill.input_schema, `${skill.id}.Input`, schemas) } } },
    responses: {
      200: {
        description: skill.stream ? 'The run as server-sent events; with `Accept: application/json`, its result' : 'The result',
        content: contentOf(skill, schemas),
      },
      ...refusalsOf(requireBearer, errors, 405),
    },
  };
}

/** `never`: the one that this kind of call does not answer with. */
function refusalsOf(requireBearer: boolean, errors: Refusals, never: number): Json {
  const statuses = Object.keys(errors.refusals).map(Number);
  return Object.fromEntries(
    statuses.filter((status) => status !== never && (status !== 401 || requireBearer)).map((status) => [status, refusal(status, errors)]),
  );
}

function isRequired({ input_schema: schema }: SkillCard): boolean {
  return Array.isArray(schema['required']) && schema['required'].length > 0;
}

/** Every skill answers either way, by what the caller accepts. */
function contentOf(skill: SkillCard, schemas: Record<string, Json>): Json {
  const stream = { schema: { type: 'string', description: 'Events `id`, `event` = kind, `data` = {"kind","payload"}; ends with `result` or `failed`.' } };
  return { 'application/json': { schema: hoisted(skill.output_schema, `${skill.id}.Output`, schemas) }, 'text/event-stream': stream };
}

function refusal(status: number, { name, refusals }: Refusals): Json {
  return { description: refusals[status], content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } };
}

/**
 * `#/$defs/…` means the root of a document, which here is another: definitions move to the components,
 * references follow.
 */
function hoisted(schema: Json, prefix: string, schemas: Record<string, Json>): Json {
  const { $schema: _, $id: __, $defs: definitions, ...rest } = withOneType(withIntegerBounds(schema));
  const nameOf = (name: string): string => `${prefix}.${name}`.replaceAll(/[^\w.-]/g, '_');
  const follow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(follow);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === '$ref' && typeof member === 'string' ? target(member) : follow(member)]),
    );
  };
  const target = (ref: string): string => {
    if (ref === '#') return `#/components/schemas/${nameOf('Root')}`;
    return ref.replace(/^#\/\$defs\/([^/]+)/, (_whole, name: string) => `#/components/schemas/${nameOf(decodeURIComponent(name))}`);
  };
  const root = asJson(follow(rest));
  if (JSON.stringify(rest).includes('"$ref":"#"')) schemas[nameOf('Root')] = root;
  for (const [name, definition] of Object.entries(Object(definitions))) schemas[nameOf(name)] = asJson(follow(definition));
  return root;
}

/** follow() keeps the shape: a schema that is an object stays one. */
function asJson(value: unknown): Json {
  return value as Json;
}
