// Calls a declared route with records that exist and inputs that are valid, unless told otherwise.
import { pathOf } from '#contract/route-table.ts';
import type { DeclaredRoute } from '#contract/inventory.ts';
import { isSchema, locate, type RouteSpec } from '#contract/kit.ts';
import { sample } from '#contract/sample.ts';
import type { ValidCall } from './records/area.ts';
import type { Who, World } from './world.ts';

export interface Overrides {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  /** JSON text. */
  body?: string;
  /** In place of the token of `who`. */
  token?: string | undefined;
  /** Beside those that the route declares. */
  headers?: Record<string, string>;
}

export async function callRoute(world: World, { id, spec }: DeclaredRoute, who: Who | undefined, over: Overrides = {}): Promise<Response> {
  const { method } = locate(spec);
  const token = over.token ?? (who && world.tokens[who]);
  const given = world.calls[id] ?? {};
  const body = over.body ?? (given.body ? written(given.body) : bodyFor(id, spec));
  const query = over.query ?? given.query ?? queryFor(id, spec);
  return fetch(world.url + pathOf(spec, { params: { ...paramsFor(world, id, spec), ...over.params }, query }), {
    method,
    redirect: 'manual',
    headers: {
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      // A signature stands for credentials: who comes without any has none.
      ...headersFor(world, spec, token === undefined && spec.signed !== undefined ? {} : given),
      ...over.headers,
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
}

function headersFor(world: World, { headers }: RouteSpec, given: ValidCall): Record<string, string> {
  const named = Object.keys(headers?._zod.def.shape ?? {});
  const sent = [...Object.entries(world.headers).filter(([name]) => named.includes(name)), ...Object.entries(given.headers ?? {})];
  return Object.fromEntries([...new Map(sent)].filter((one): one is [string, string] => one[1] !== undefined));
}

/** What a valid call of it sends as JSON; undefined: no JSON. */
export function jsonBodyFor(world: World, { id, spec }: DeclaredRoute): unknown {
  const given = world.calls[id]?.body;
  const body = given ? written(given) : bodyFor(id, spec);
  return typeof body === 'string' && body !== '' ? JSON.parse(body) : undefined;
}

/** Ada's records. */
function paramsFor(world: World, id: string, spec: RouteSpec): Record<string, string> {
  return Object.fromEntries(
    Object.keys(spec.params?._zod.def.shape ?? {}).map((name) => {
      const record = world.records[`${id}.${name}`] ?? world.records[name];
      if (record === undefined) throw new Error(`${id}: give test/api/records/<area>.ts a record of Ada's for the path parameter {${name}}`);
      return [name, record];
    }),
  );
}

function written(body: object): string | FormData {
  return body instanceof FormData ? body : JSON.stringify(body);
}

function queryFor(id: string, { query }: RouteSpec): Record<string, unknown> {
  return query ? Object(valid(id, 'query', query)) : {};
}

function bodyFor(id: string, { body }: RouteSpec): string | FormData | undefined {
  if (body === undefined) return undefined;
  if (isSchema(body)) return JSON.stringify(valid(id, 'body', body));
  return body.kind === 'multipart' ? new FormData() : '';
}

function valid(id: string, place: string, schema: Parameters<typeof sample>[0]): unknown {
  const value = sample(schema);
  if (value === undefined) throw new Error(`${id}: no valid ${place} could be made; give its schema an example with .meta({ examples: [...] })`);
  return value;
}
