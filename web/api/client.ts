// The API as typed calls, with the browser's session; the same origin, so no address and no token.
import { type CallInput, type CallOutput, type Client, createClient } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { fetchActing } from './organization.ts';

export type Api = Contract;

export type GroupName = keyof Api & string;
export type RouteName<G extends GroupName> = keyof Api[G] & string;
/** What a call takes: params, query, headers, body. */
export type Input<G extends GroupName, R extends RouteName<G>> = CallInput<Api[G][R]>;
/** What it answers. */
export type Output<G extends GroupName, R extends RouteName<G>> = CallOutput<Api[G][R]>;

export const client: Client<Api> = createClient({ baseUrl: '', fetch: fetchActing });

type AnyCall = (input?: object, options?: { signal?: AbortSignal; headers?: Record<string, string> }) => Promise<unknown>;

/** One call by the names of its group and route. @throws ApiError */
export async function send<G extends GroupName, R extends RouteName<G>>(
  group: G,
  route: R,
  input: Input<G, R> | undefined,
  options?: Parameters<AnyCall>[1],
): Promise<Output<G, R>> {
  return resultOf<G, R>(await callOf(client[group], route)(input as object, options));
}

// Safe: the client has a call under each name of the contract.
function callOf(group: object, route: string): AnyCall {
  return (group as Record<string, AnyCall>)[route] as AnyCall;
}

// Safe: `call` is the one of this route.
function resultOf<G extends GroupName, R extends RouteName<G>>(result: unknown): Output<G, R> {
  return result as Output<G, R>;
}
