// The OpenAPI 3.1 description of one agent's own skills (POST /invoke/{skill}), made from its card alone.
import { z } from 'zod';
import type { AgentCard, SkillCard } from './card.ts';
import { AgentErrorBody } from './errors.ts';

export interface AgentOpenApiOptions {
  /** Where the agent answers, without a trailing slash. */
  baseUrl: string;
  /** Callers need `Authorization: Bearer …`. */
  requireBearer: boolean;
  /** Only these skills, by id; default all. */
  skills?: readonly string[];
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

/** @throws RangeError for a skill the card does not have */
export function agentOpenApi(card: AgentCard, { baseUrl, requireBearer, skills }: AgentOpenApiOptions): Json {
  const chosen = skills ? skills.map((id) => skillOf(card, id)) : card.skills;
  return {
    openapi: '3.1.0',
    info: { title: card.name, version: card.version, description: card.description },
    servers: [{ url: baseUrl }],
    ...(requireBearer && { security: [{ bearer: [] }] }),
    paths: Object.fromEntries(chosen.map((skill) => [`/invoke/${skill.id}`, { post: operation(skill, requireBearer) }])),
    components: {
      schemas: { AgentErrorBody: errorSchema() },
      ...(requireBearer && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
    },
  };
}

function skillOf(card: AgentCard, id: string): SkillCard {
  const skill = card.skills.find((one) => one.id === id);
  if (!skill) throw new RangeError(`there is no skill "${id}"; ${card.name} has: ${card.skills.map((one) => one.id).join(', ')}`);
  return skill;
}

function operation(skill: SkillCard, requireBearer: boolean): Json {
  const statuses = Object.keys(REFUSALS).map(Number);
  const refusals = statuses.filter((status) => status !== 401 || requireBearer);
  return {
    operationId: skill.id,
    summary: skill.description || skill.id,
    ...(skill.tags.length > 0 && { tags: [...skill.tags] }),
    ...(skill.scopes.length > 0 && { 'x-required-scopes': [...skill.scopes] }),
    'x-stream': skill.stream,
    requestBody: { required: isRequired(skill), content: { 'application/json': { schema: skill.input_schema } } },
    responses: {
      200: {
        description: skill.stream ? 'The run as server-sent events; with `Accept: application/json`, its result' : 'The result',
        content: contentOf(skill),
      },
      ...Object.fromEntries(refusals.map((status) => [status, refusal(status)])),
    },
  };
}

function isRequired({ input_schema: schema }: SkillCard): boolean {
  return Array.isArray(schema['required']) && schema['required'].length > 0;
}

/** Every skill answers either way, by what the caller accepts. */
function contentOf(skill: SkillCard): Json {
  const stream = { schema: { type: 'string', description: 'Events `id`, `event` = kind, `data` = {"kind","payload"}; ends with `result` or `failed`.' } };
  return { 'application/json': { schema: skill.output_schema }, 'text/event-stream': stream };
}

function refusal(status: number): Json {
  return { description: REFUSALS[status], content: { 'application/json': { schema: { $ref: '#/components/schemas/AgentErrorBody' } } } };
}

function errorSchema(): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(AgentErrorBody, { target: 'draft-2020-12' });
  return schema;
}
