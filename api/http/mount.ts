// Puts every declared route on the router, literals before parameters: /v1/agents/mine is not an agent called
// "mine".
import type Router from '@koa/router';
import { locate, type Group, type Method, type RouteSpec } from '#contract/kit.ts';
import type { HttpDeps } from './deps.ts';
import type { ContractHandlers } from './handlers.ts';
import { routeMiddleware, type ErasedHandler } from './route.ts';

export function mount<C extends Record<string, Group>>(router: Router, contract: C, handlers: ContractHandlers<C>, deps: HttpDeps): void {
  const pairs = bySpecificity(pair(contract, erase(handlers)));
  const heads = new Set(pairs.flatMap(({ spec }) => (locate(spec).method === 'HEAD' ? [locate(spec).path] : [])));
  for (const { spec, handler } of pairs) {
    const { method, path } = locate(spec);
    const layer = router.register(koaPath(path), [method.toLowerCase()], routeMiddleware(spec, handler, deps));
    keepOnly(layer, method === 'GET' && !heads.has(path) ? ['GET', 'HEAD'] : [method]);
  }
}

type Pair = { spec: RouteSpec; handler: ErasedHandler };
type ErasedHandlers = Record<string, Record<string, ErasedHandler> | undefined>;

function pair(contract: Record<string, Group>, handlers: ErasedHandlers): Pair[] {
  return Object.entries(contract).flatMap(([group, routes]) =>
    Object.entries(routes).map(([name, spec]) => {
      const handler = handlers[group]?.[name];
      if (!handler) throw new Error(`${group}.${name} has no handler`);
      return { spec, handler };
    }),
  );
}

function bySpecificity<T extends { spec: RouteSpec }>(routes: T[]): T[] {
  const ranked = routes.map((route) => ({ route, rank: rankOf(locate(route.spec).path) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0)).map(({ route }) => route);
}

/**
 * Segment by segment: a literal sorts before a parameter, a parameter before a parameter that takes slashes.
 */
function rankOf(path: string): string {
  const rank = (segment: string): string => (segment.startsWith('{') ? (segment.includes(':') ? '2' : '1') : `0${segment}`);
  return path.split('/').slice(1).map(rank).join('\u0000');
}

/** `{name}` → `:name`, `{path:path}` → `*path`. */
function koaPath(path: string): string {
  return path.replace(/\{(\w+):path\}/g, '*$1').replace(/\{(\w+)\}/g, ':$1');
}

/** HEAD is wherever GET is (RFC 9110, 9.1); where the contract has a HEAD of its own, that answers. */
function keepOnly(layer: { methods: string[] } | { methods: string[] }[], methods: Method[]): void {
  for (const one of [layer].flat()) one.methods = methods;
}

// Safe: every handler was checked against its own route by ContractHandlers<C>; routeMiddleware hands it the
// actor its scope admits and the input its schemas gave out, which is what its type asks for.
function erase<C extends Record<string, Group>>(handlers: ContractHandlers<C>): ErasedHandlers {
  return handlers as unknown as ErasedHandlers;
}
