// Our card as the task protocol has it (A2A 1.0, https://a2a-protocol.org, "Agent Card"): JSON of its
// protobuf message, without members at their default.
import { z } from 'zod';
import type { AgentCard, SkillCard } from './card.ts';

export interface A2aCardOptions {
  /** Origin of the agent, as its callers reach it. */
  baseUrl: string;
  /** `host:port` where gRPC is served; absent: nowhere. */
  grpc?: string | undefined;
  /** Callers need a bearer token. */
  bearer: boolean;
  /** False: no messages that call its skills are made up. Default: true. */
  examples?: boolean;
}

export type A2aCardJson = Record<string, unknown>;

/**
 * Where cards are, and the keys that sign them; below the JSON-RPC address too, for clients that know no
 * other.
 */
export const CARD_PATHS: readonly string[] = ['', '/a2a'].flatMap((at) => [`${at}/.well-known/agent-card.json`, `${at}/.well-known/agent.json`]);
export const CARD_KEYS_PATH = '/.well-known/agent-card-keys.json';

const VERSIONS = ['1.0', '0.3'] as const;

export function a2aCard(card: AgentCard, { baseUrl, grpc, bearer, examples = true }: A2aCardOptions): A2aCardJson {
  const modes = (own: readonly string[]): string[] => (own.length > 0 ? [...own] : ['application/json', 'text/plain']);
  return {
    name: card.name,
    description: card.description || card.name,
    version: card.version,
    supportedInterfaces: VERSIONS.flatMap((protocolVersion) => [
      { url: `${baseUrl}/a2a`, protocolBinding: 'JSONRPC', protocolVersion },
      { url: baseUrl, protocolBinding: 'HTTP+JSON', protocolVersion },
      ...(grpc === undefined ? [] : [{ url: grpc, protocolBinding: 'GRPC', protocolVersion }]),
    ]),
    capabilities: { streaming: true, pushNotifications: takesPush(card), extendedAgentCard: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    ...(bearer && { securityRequirements: [{ schemes: { bearer: {} } }] }),
    defaultInputModes: modes(card.input_modes),
    defaultOutputModes: modes(card.output_modes),
    skills: card.skills.map((skill) => ({
      id: skill.id,
      name: skill.name,
      description: skill.description || skill.name,
      // Required by the protocol, and members at their default are left out.
      tags: skill.tags.length > 0 ? [...skill.tags] : [skill.id],
      ...(examples && withExamples(skill)),
      ...(skill.scopes.length > 0 && { securityRequirements: [{ schemes: { bearer: { list: [...skill.scopes] } } }] }),
    })),
  };
}

/** As clients of 0.3 read it; what both generations have under one name is said once, in the form of 1.0. */
export function withLegacy(card: AgentCard, { baseUrl, grpc, bearer }: A2aCardOptions, current: A2aCardJson): A2aCardJson {
  const scheme = { type: 'http', scheme: 'Bearer' };
  return {
    ...current,
    protocolVersion: '0.3.0',
    url: `${baseUrl}/a2a`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url: baseUrl, transport: 'HTTP+JSON' }, ...(grpc === undefined ? [] : [{ url: grpc, transport: 'GRPC' }])],
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' }, ...scheme } },
    ...(bearer && { security: [{ bearer: [] }] }),
    supportsAuthenticatedExtendedCard: false,
    skills: records(current['skills']).map((skill, n) => {
      const scopes = card.skills[n]?.scopes ?? [];
      return { ...skill, ...(scopes.length > 0 && { security: [{ bearer: [...scopes] }] }) };
    }),
  };
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The agent sends changes of its tasks to web addresses. */
export function takesPush(card: Pick<AgentCard, 'capabilities'>): boolean {
  return card.capabilities['push_notifications'] === true;
}

/** A message that calls the skill as it is; none where no arguments can be made up that fit. */
function withExamples({ id, input_schema: schema }: SkillCard): { examples?: string[] } {
  const args = exampleOf(schema);
  return fits(schema, args) ? { examples: [`@${id} ${JSON.stringify(args)}`] } : {};
}

function fits(schema: Record<string, unknown>, value: unknown): boolean {
  try {
    return z.fromJSONSchema(schema).safeParse(value).success;
  } catch {
    return false;
  }
}

const BY_TYPE: Record<string, unknown> = { string: 'text', integer: 1, number: 1, boolean: true, null: null };
const BY_FORMAT: Record<string, string> = {
  email: 'ada@example.com',
  uri: 'https://example.com/',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00',
  uuid: '00000000-0000-4000-8000-000000000000',
};
const MAX_DEPTH = 8;
/** Of one example, all lists and objects together. */
const MAX_PARTS = 1_000;

/** A value such a schema may take; what is required is there. */
function exampleOf(schema: unknown, depth = 0, room = { parts: MAX_PARTS }): unknown {
  room.parts -= 1;
  if (!isRecord(schema) || depth > MAX_DEPTH || room.parts < 0) return null;
  const [first] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  const [one] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const [either] = [schema['anyOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  const given = [first, schema['default'], schema['const'], one].find((value) => value !== undefined);
  if (given !== undefined) return given;
  if (either !== undefined) return exampleOf(either, depth + 1, room);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (type === 'object') return objectOf(schema, depth, room);
  if (type === 'array') return Array.from({ length: atLeast(schema['minItems']) }, () => exampleOf(schema['items'], depth + 1, room));
  if (type === 'string') return BY_FORMAT[String(schema['format'])] ?? 'text'.padEnd(atLeast(schema['minLength']), '.');
  if (type === 'integer' || type === 'number') return Math.max(1, Math.ceil(Number(schema['minimum'] ?? 1)));
  return BY_TYPE[String(type)] ?? null;
}

function objectOf(schema: Record<string, unknown>, depth: number, room: { parts: number }): Record<string, unknown> {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name], depth + 1, room)]));
}

/** Bounded: a schema is its author's word. */
function atLeast(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, 16) : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
