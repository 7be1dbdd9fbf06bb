// The path of a declared route. A path that no route has, or a parameter too few, does not compile; no schema
// comes along.
import type { Contract } from './index.ts';
import { methodOf, pathOf } from './route-table.ts';
import type { RunContract } from './run/index.ts';

type AtOf<C> = { [G in keyof C]: { [R in keyof C[G]]: C[G][R] extends { at: infer A extends string } ? A : never }[keyof C[G]] }[keyof C];
/** `GET /v1/agents/{name}` and all others. */
export type RouteAt = AtOf<Contract> | AtOf<RunContract>;

type ParamsOf<A extends string> = A extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}:path` ? Plain : Name) | ParamsOf<Rest>
  : never;
type Given<A extends string> = [ParamsOf<A>] extends [never] ? [] : [params: Record<ParamsOf<A>, string>];
type MethodIn<A extends string> = A extends `${infer M} ${string}` ? M : never;

export function pathTo<A extends RouteAt>(at: A, ...[params]: Given<A>): string {
  return pathOf({ at }, { params: { ...params } });
}

/** Method and path. */
export function callTo<A extends RouteAt>(at: A, ...given: Given<A>): { method: MethodIn<A>; path: string } {
  return { method: asMethod<A>(methodOf({ at })), path: pathTo(at, ...given) };
}

// Safe: both are what stands before the first space of `at`.
function asMethod<A extends string>(method: string): MethodIn<A> {
  return method as MethodIn<A>;
}
