// Walks over the declared routes: valid calls of one, each with one place changed to something hostile.
import { z } from 'zod';
import type { DeclaredRoute } from '#contract/inventory.ts';
import { isSchema, locate } from '#contract/kit.ts';
import type { Overrides } from './call.ts';
import { BROKEN_JSON, CURSORS, EVENT_IDS, NUMBERS, TEXTS, VALUES } from './hostile.ts';
import { ROUTES } from './world.ts';

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
