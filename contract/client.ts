// A typed client: its types are the contract's, and what does not match does not compile. It ships a table of
// methods and paths, no schemas.
import type { z } from 'zod';
import { CLIENT_ROUTES } from './client-routes.ts';
import type { ErrorResponse } from './error-response.ts';
import type { Contract } from './index.ts';
import type { Group } from './kit.ts';
import { methodOf, pathOf, tableOf, type RouteEntry, type RouteTable } from './route-table.ts';

type BodyIn<B> = B extends z.core.$ZodType ? z.input<B> : B extends { kind: 'multipart' } ? FormData : RawBody;
/** What fetch sends as it is. */
export type RawBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream | FormData;
type Member<K extends string, T> = undefined extends T ? { [P in K]?: T } : { [P in K]: T };

/** What a call takes: only what the route declares, and all it requires. */
export type CallInput<R> = (R extends { params: infer P extends z.core.$ZodType } ? { params: z.input<P> } : unknown) &
  (R extends { query: infer Q extends z.core.$ZodType } ? ({} extends z.input<Q> ? { query?: z.input<Q> } : { query: z.input<Q> }) : unknown) &
  (R extends { headers: infer H extends z.core.$ZodType } ? ({} extends z.input<H> ? { headers?: z.input<H> } : { headers: z.input<H> }) : unknown) &
  (R extends { body: infer B } ? Member<'body', BodyIn<B>> : unknown);

/** Parsed JSON; streams, bytes and passed-through answers come as the Response. */
export type CallOutput<R> = R extends { out: infer O } ? (O extends z.core.$ZodType ? z.output<O> : Response) : void;

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

export type Call<R> =
  {} extends CallInput<R>
    ? (input?: CallInput<R>, options?: CallOptions) => Promise<CallOutput<R>>
    : (input: CallInput<R>, options?: CallOptions) => Promise<CallOutput<R>>;

export type Client<C extends Record<string, Group>> = { readonly [G in keyof C]: { readonly [R in keyof C[G]]: Call<C[G][R]> } };

export interface ClientOptions {
  /** `http://localhost:8080` */
  baseUrl: string;
  /** An access token, or where to get one for each call; absent: anonymous. */
  token?: string | (() => Promise<string | undefined>) | undefined;
  fetch?: typeof fetch;
}

/** The API refused. `detail` is its own words; branch on `status`, then on `code`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: Partial<ErrorResponse['detail']>;
  constructor(status: number, detail: Partial<ErrorResponse['detail']>) {
    super(detail.message ?? `the API answered ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = detail.code ?? 'unknown';
    this.detail = detail;
  }
}

export function createClient(options: ClientOptions): Client<Contract> {
  return typed<Contract>(callsOf(CLIENT_ROUTES, options));
}

/** The same for any part of the contract. */
export function clientOf<C extends Record<string, Group>>(groups: C, options: ClientOptions): Client<C> {
  return typed<C>(callsOf(tableOf(groups), options));
}

function callsOf(table: RouteTable, options: ClientOptions): unknown {
  const byGroup = Object.entries(table).map(([group, routes]) => {
    const calls = Object.entries(routes).map(([name, route]) => [
      name,
      (input?: LooseInput, more?: CallOptions) => call(route, input ?? {}, options, more ?? {}),
    ]);
    return [group, Object.fromEntries(calls)];
  });
  return Object.fromEntries(byGroup);
}

interface LooseInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
}

async function call(route: RouteEntry, input: LooseInput, { baseUrl, token, fetch: send = fetch }: ClientOptions, more: CallOptions): Promise<unknown> {
  const bearer = typeof token === 'function' ? await token() : token;
  const asJson = input.body !== undefined && route.body === 'json';
  const response = await send(baseUrl + pathOf(route, input), {
    method: methodOf(route),
    headers: {
      accept: ACCEPT[route.out ?? 'json'],
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(asJson ? { 'content-type': 'application/json' } : {}),
      ...present(input.headers),
      ...more.headers,
    },
    ...(input.body === undefined ? {} : { body: asJson ? JSON.stringify(input.body) : rawBody(input.body), duplex: 'half' }),
    ...(more.signal ? { signal: more.signal } : {}),
  });
  if (!response.ok) throw await refusalOf(response);
  if (route.out === undefined) return void (await response.body?.cancel());
  return route.out === 'json' ? response.json() : response;
}

function present(headers: Record<string, string | undefined> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

const ACCEPT: Record<NonNullable<RouteEntry['out']>, string> = {
  json: 'application/json',
  'event-stream': 'text/event-stream, application/json',
  ndjson: 'application/x-ndjson, application/json',
  // As the skill is declared.
  passthrough: '*/*',
  bytes: '*/*',
};

/** What an answer that is not ok says; for requests that a call of the client does not make. */
export async function refusalOf(response: Response): Promise<ApiError> {
  return refusal(response.status, await response.json().catch(() => undefined));
}

/** The same of a body that was read. */
export function refusal(status: number, body: unknown): ApiError {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  return new ApiError(status, typeof detail === 'object' && detail !== null ? detail : {});
}

// Safe: CallInput types the body of a route that is not JSON as FormData or RawBody.
function rawBody(body: unknown): RawBody {
  return body as RawBody;
}

// Safe: built from the table of the same groups, one call for each route; `call` returns what CallOutput says
// as long as the API keeps its contract.
function typed<C extends Record<string, Group>>(calls: unknown): Client<C> {
  return calls as Client<C>;
}
