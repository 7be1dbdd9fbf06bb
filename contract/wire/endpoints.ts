// `endpoints` of svc.yaml: HTTP endpoints of an agent's own naming, each method a call of one skill.
import { z } from 'zod';
import { SkillName } from './names.ts';

/** In svc.yaml as OpenAPI writes them. */
const ENDPOINT_METHODS = ['post', 'put', 'patch', 'delete'] as const;
export type EndpointMethod = (typeof ENDPOINT_METHODS)[number];
const MAX_ENDPOINTS = 50;
const MAX_ARGUMENTS = 64;

/** Credentials, what the platform says itself, and what frames a request: never an agent's to read. */
const RESERVED_HEADER =
  /^(?:authorization|proxy-.*|cookie|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|forwarded|x-forwarded-.*|x-real-ip|x-svc-.*|svc-.*|integration_token)$/;

const ArgumentName = z.string().regex(/^[A-Za-z_]\w{0,63}$/, 'use a letter or _, then letters, digits and _ (64 at most)');

/**
 * Where an argument comes from. `name`: of the member, parameter or header; absent: the argument's own, `_`
 * of headers written as `-`.
 */
export const ArgumentSource = z
  .discriminatedUnion('in', [
    z.strictObject({ in: z.literal('body'), name: z.string().min(1).max(128).optional() }),
    z.strictObject({
      in: z.literal('query'),
      name: z
        .string()
        .min(1)
        .max(128)
        .refine((name) => name.toLowerCase() !== 'integration_token', 'the platform takes this parameter: choose another')
        .optional(),
    }),
    z.strictObject({
      in: z.literal('header'),
      name: z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,127}$/, 'write headers in lower case: letters, digits and "-"')
        .refine((name) => !RESERVED_HEADER.test(name), 'this header is not passed to agents: choose another')
        .optional(),
    }),
    z.strictObject({ in: z.literal('path'), name: z.enum(['name', 'endpoint_name']).default('endpoint_name') }),
  ])
  .meta({ id: 'ArgumentSource' });
export type ArgumentSource = z.infer<typeof ArgumentSource>;

export const EndpointCall = z.strictObject({
  skill: SkillName,
  arguments: z
    .record(ArgumentName, ArgumentSource)
    .refine((sources) => Object.keys(sources).length <= MAX_ARGUMENTS, `name at most ${MAX_ARGUMENTS} arguments`)
    .refine(
      (sources) => Object.entries(sources).every(([name, { in: place }]) => place !== 'query' || name.toLowerCase() !== 'integration_token'),
      'the platform takes the parameter integration_token',
    )
    .refine(
      (sources) => Object.entries(sources).every(([name, source]) => source.in !== 'header' || !RESERVED_HEADER.test(sourceName(name, source))),
      'one of these headers is not passed to agents',
    )
    .default({})
    .meta({ description: 'Those that do not come from the body (with delete: from the query) by their own name.' }),
});
export type EndpointCall = z.infer<typeof EndpointCall>;

export const Endpoint = z
  .strictObject({ post: EndpointCall.optional(), put: EndpointCall.optional(), patch: EndpointCall.optional(), delete: EndpointCall.optional() })
  .refine((endpoint) => ENDPOINT_METHODS.some((method) => endpoint[method]), 'map at least one of post, put, patch and delete to a skill');
export type Endpoint = z.infer<typeof Endpoint>;

const ENDPOINT_NAME = '[A-Za-z0-9][A-Za-z0-9_-]{0,63}';
export const EndpointName = z.string().regex(new RegExp(`^${ENDPOINT_NAME}$`), 'start with a letter or digit, then letters, digits, _ or - (64 at most)');

export const Endpoints = z
  .record(EndpointName, Endpoint)
  .refine((all) => Object.keys(all).length <= MAX_ENDPOINTS, `name at most ${MAX_ENDPOINTS} endpoints`)
  .meta({ id: 'Endpoints' });
export type Endpoints = z.infer<typeof Endpoints>;

/** Name of the member, parameter or header that gives this argument. */
export function sourceName(argument: string, { in: place, name }: ArgumentSource): string {
  return name ?? (place === 'header' ? argument.toLowerCase().replaceAll('_', '-') : argument);
}

/** Each declared method with the skill it calls. */
export function callsOf(endpoint: Endpoint): { method: EndpointMethod; call: EndpointCall }[] {
  return ENDPOINT_METHODS.flatMap((method) => {
    const call = endpoint[method];
    return call ? [{ method, call }] : [];
  });
}
