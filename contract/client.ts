// A typed client made from the contract itself: nothing is generated, and what does not match does not compile.
import type { z } from 'zod';
import { contract, type Contract } from './index.ts';
import { isSchema, locate, type Group, type RouteSpec } from './kit.ts';
import type { ErrorResponse } from './error-response.ts';

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
  return clientOf(contract, options);
}

/** The same for any part of the contract. */
export function clientOf<C extends Record<string, Group>>(groups: C, options: ClientOptions): Client<C> {
  const byGroup = Object.entries(groups).map(([group, routes]) => {
    const calls = Object.entries(routes).map(([name, spec]) => [
      name,
      (input?: LooseInput, more?: CallOptions) => call(spec, input ?? {}, options, more ?? {}),
    ]);
    return [group, Object.fromEntries(calls)];
  });
  return typed<C>(Object.fromEntries(byGroup));
}

interface LooseInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
}

async function call(spec: RouteSpec, input: LooseInput, { baseUrl, token, fetch: send = fetch }: ClientOptions, more: CallOptions): Promise<unknown> {
  const { method } = locate(spec);
  const bearer = typeof token === 'function' ? await token() : token;
  const asJson = input.body !== undefined && spec.body !== undefined && isSchema(spec.body);
  const response = await send(baseUrl + pathOf(spec, input), {
    method,
    headers: {
      accept: acceptOf(spec),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(asJson ? { 'content-type': 'application/json' } : {}),
      ...present(input.headers),
      ...more.headers,
    },
    ...(input.body === undefined ? {} : { body: asJson ? JSON.stringify(input.body) : rawBody(input.body), duplex: 'half' }),
    ...(more.signal ? { signal: more.signal } : {}),
  });
  if (!response.ok) throw new ApiError(response.status, await detailOf(response));
  if (spec.out === undefined) return void (await response.body?.cancel());
  return isSchema(spec.out) ? response.json() : response;
}

function present(headers: Record<string, string | undefined> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Path and query of a call. */
export function pathOf(spec: RouteSpec, { params = {}, query = {} }: LooseInput): string {
  const encoded = (name: string): string => encodeURIComponent(String(params[name]));
  const path = locate(spec)
    .path.replace(/\{(\w+):path\}/g, (_, name: string) => String(params[name]).split('/').map(encodeURIComponent).join('/'))
    .replace(/\{(\w+)\}/g, (_, name: string) => encoded(name));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, String(one));
  return search.size === 0 ? path : `${path}?${search}`;
}

function acceptOf({ out }: RouteSpec): string {
  if (out === undefined || isSchema(out)) return 'application/json';
  return {
    'event-stream': 'text/event-stream, application/json',
    ndjson: 'application/x-ndjson, application/json',
    // As the skill is declared.
    passthrough: '*/*',
    bytes: '*/*',
  }[out.kind];
}

async function detailOf(response: Response): Promise<Partial<ErrorResponse['detail']>> {
  const body: unknown = await response.json().catch(() => undefined);
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  return typeof detail === 'object' && detail !== null ? detail : {};
}

// Safe: CallInput types the body of a route that is not JSON as FormData or RawBody.
function rawBody(body: unknown): RawBody {
  return body as RawBody;
}

// Safe: built from the same groups, one call for each route; `call` returns what CallOutput says as long as the API keeps its contract.
function typed<C extends Record<string, Group>>(calls: unknown): Client<C> {
  return calls as Client<C>;
}
