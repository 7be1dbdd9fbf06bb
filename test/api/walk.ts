// Walks over the declared routes: valid calls of one, each with one place changed to something hostile.
import { z } from 'zod';
import type { DeclaredRoute } from '#contract/inventory.ts';
import { isSchema, locate } from '#contract/kit.ts';
import { jsonBodyFor, type Overrides } from './call.ts';
import { BROKEN_JSON, CURSORS, EVENT_IDS, NUMBERS, TEXTS, UNSTORABLE, VALUES } from './hostile.ts';
import { ROUTES, type World } from './world.ts';

export const PLACES = ['body', 'query', 'params'] as const;
type Place = (typeof PLACES)[number];

interface HostileCall {
  /** The place that is changed, as an issue's path names it. */
  at: readonly string[];
  /** What it is changed to. */
  sent: string;
  over: Overrides;
}

type Route = readonly [id: string, route: DeclaredRoute];

/** Answers to HEAD say nothing but their status: they have a suite of their own. */
export const isHead = ({ spec }: DeclaredRoute): boolean => locate(spec).method === 'HEAD';

export const routesWith = (keep: (route: DeclaredRoute) => boolean): Route[] =>
  ROUTES.filter((route) => !isHead(route) && keep(route)).map((route) => [route.id, route] as const);

/** Undefined where nothing is declared, or a form, bytes or a stream. */
export function schemaAt({ spec }: DeclaredRoute, place: Place): z.core.$ZodType | undefined {
  const declared = spec[place];
  return declared !== undefined && isSchema(declared) ? declared : undefined;
}

export const routesWithPlace = (place: Place): Route[] => routesWith((route) => schemaAt(route, place) !== undefined);

/** What the route's schema refuses at this place. */
export function* refusedAt(route: DeclaredRoute, place: Place): Generator<HostileCall> {
  if (place === 'body') {
    const schema = schemaAt(route, place);
    const refused = VALUES.filter((value) => !accepts(schema, value)).map((value) => JSON.stringify(value));
    for (const sent of [...refused, ...BROKEN_JSON]) yield { at: [place], sent, over: { body: sent } };
    return;
  }
  for (const [name, schema] of fields(route, place)) {
    // A number is written as text there.
    const refused = TEXTS.filter((text) => ![text, [text], text === '-1' ? -1 : text].some((value) => accepts(schema, value)));
    for (const sent of refused) yield { at: [place, name], sent, over: { [place]: { [name]: sent } } };
  }
}

/** Values of a query that a loose schema takes and that PostgreSQL may refuse. */
export function* beyondColumns(route: DeclaredRoute): Generator<HostileCall> {
  for (const [name] of fields(route, 'query'))
    for (const sent of name === 'cursor' ? CURSORS : NUMBERS) yield { at: ['query', name], sent, over: { query: { [name]: sent } } };
}

/**
 * A valid call with one text of it made one that no column takes: each of its path, its query and its body,
 * and a member more in each object of the body.
 */
export function* unstorable(route: DeclaredRoute, world: World): Generator<HostileCall> {
  for (const place of ['params', 'query'] as const)
    for (const [name] of fields(route, place)) yield { at: [place, name], sent: 'a\u0000', over: { [place]: { [name]: 'a\u0000' } } };
  const body = schemaAt(route, 'body') === undefined ? undefined : jsonBodyFor(world, route);
  if (body === undefined) return;
  for (const { at, value } of spoiled(body, [])) yield { at: ['body', ...at], sent: UNSTORABLE, over: { body: JSON.stringify(value) } };
}

export function* spoiled(value: unknown, at: readonly string[]): Generator<{ at: readonly string[]; value: unknown }> {
  if (typeof value === 'string') yield { at, value: `${value}${UNSTORABLE}` };
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  for (const [name, member] of members)
    for (const one of spoiled(member, [...at, name])) {
      const changed = Object.fromEntries([...members, [name, one.value]]);
      yield { at: one.at, value: isList ? Object.values(changed) : changed };
    }
  if (!isList) yield { at: [...at, '*'], value: { ...value, [`x${UNSTORABLE}`]: { [UNSTORABLE]: [UNSTORABLE] } } };
}

/** Places in a stream that nobody was at. */
export function* beyondEvents(): Generator<HostileCall> {
  for (const sent of EVENT_IDS) yield { at: ['headers', 'last-event-id'], sent, over: { headers: { 'last-event-id': sent } } };
}

function fields({ spec }: DeclaredRoute, place: 'query' | 'params'): [name: string, schema: z.core.$ZodType][] {
  return Object.entries(spec[place]?._zod.def.shape ?? {});
}

function accepts(schema: z.core.$ZodType | undefined, value: unknown): boolean {
  return schema !== undefined && z.core.safeParse(schema, value).success;
}
