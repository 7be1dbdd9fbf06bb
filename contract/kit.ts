// How a route is declared: once, as a value. Router, validation, OpenAPI, typed client, CLI and generic tests
// read this value.
import type { z } from 'zod';

/**
 * Who may call: the words of the specification's inventory; `run`: only a running agent, with its run
 * credential; `source-token`: a user, or who has a token of one repository.
 */
export type Scope =
  | 'run'
  | 'source-token'
  | 'none'
  | 'public'
  | 'optional'
  | 'authenticated'
  | 'account'
  | 'platform'
  | 'operator'
  | 'scim'
  | 'agent-token'
  | 'optional,agent-token';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type SuccessStatus = 200 | 201 | 202 | 204;
export type ErrorStatus = 400 | 401 | 402 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 416 | 421 | 422 | 429 | 500 | 502 | 503 | 504;

/** Names of the rate limiters; their points and windows live in api/http/rate-limit.ts. */
export type Limiter = 'auth' | 'check' | 'code' | 'create' | 'deploy';

/** A body that is not JSON: streamed to the handler as multipart form fields and files. */
export interface MultipartBody<T extends z.core.$ZodObject = z.core.$ZodObject> {
  kind: 'multipart';
  /** The fields; files are described as strings with format binary. */
  fields: T;
}

/** Bytes in or out, not parsed. */
export interface BytesBody {
  kind: 'bytes';
  media: string;
}

/** Server-sent events; every event's `data` is JSON that matches `event`. */
export interface EventStream<T extends z.core.$ZodType = z.core.$ZodType> {
  kind: 'event-stream';
  event: T;
}

/** Newline-delimited JSON. */
export interface Ndjson<T extends z.core.$ZodType = z.core.$ZodType> {
  kind: 'ndjson';
  line: T;
}

/**
 * JSON, or server-sent events when the caller asks for them (or the skill streams): an agent's own answer
 * passed through.
 */
export interface Passthrough<T extends z.core.$ZodType = z.core.$ZodType> {
  kind: 'passthrough';
  json: T;
}

export type BodySpec = z.core.$ZodType | MultipartBody | BytesBody;
export type OutSpec = z.core.$ZodType | EventStream | Ndjson | BytesBody | Passthrough;

export interface RouteSpec {
  /** Method and path, path parameters in braces; `{path:path}` takes slashes. */
  at: `${Method} /${string}`;
  summary: string;
  description?: string;
  /** Absent: the specification names it. `svc`: it is ours. */
  origin?: 'svc';
  scope: Scope;
  /** A running agent may call it too, with its run credential. */
  runs?: true;
  /** So may an agent that only shows its caller what they have (RunActor.looks). */
  looks?: true;
  /** So may a token of the agent that the path names, as bearer or as query `integration_token`. */
  agentTokens?: true;
  /** So may what an agent is given of its visitor's session, as bearer or as cookie `svc_session`. */
  agentSessions?: true;
  params?: z.core.$ZodObject;
  query?: z.core.$ZodObject;
  /** Request headers the route reads beside the usual ones; names in lower case. */
  headers?: z.core.$ZodObject;
  /** Cookies that the route reads beside the session's: what each is, by name. */
  cookies?: Readonly<Record<string, string>>;
  body?: BodySpec;
  /** How many bytes of JSON it takes; default 1 MiB. */
  bodyBytes?: number;
  /** Absent with status 204. */
  out?: OutSpec;
  /** Default 200. */
  status?: SuccessStatus;
  /** Browsers (`Accept: text/html`) get 302 with the same facts. */
  redirects?: true;
  /** Who asks for it (`Accept: image/svg+xml`, or the query) gets an SVG picture instead. */
  picture?: true;
  /**
   * Bytes that can be asked for in pieces and on condition (RFC 9110): it may answer 206 and 304, and refuse
   * with 412 and 416.
   */
  ranges?: true;
  /** It may answer 304 to who has the version that it would answer. */
  conditional?: true;
  /** A signed link (query `token`) opens it too, without credentials. */
  linked?: true;
  /** One of these headers carries a signature over the body, which opens it in place of credentials. */
  signed?: readonly string[];
  /** The list is the body; the next page is in the header `Link`, with rel="next" (RFC 8288). */
  pagesByLink?: true;
  /** Of a public agent the same is at this path of its own address, without credentials. */
  atAgent?: `/${string}`;
  /** It may answer 202: what was asked for continues, and its place is in the answer. */
  defers?: true;
  /**
   * It is about the person who asks, whatever organization they act for: it does not look at the header
   * `Svc-Organization`.
   */
  personal?: true;
  /** Closed list. 422 is derived where there are params, query or body; list it only where neither is. */
  errors: readonly ErrorStatus[];
  /** Named exactly where 429 is listed. */
  limit?: Limiter;
}

export type Group = Record<string, RouteSpec>;

/** Declares a group; the name comes from the registry in contract/index.ts. Keeps every literal type. */
export function group<const G extends Group>(routes: G): G {
  return routes;
}

/** Routes that the specification does not name. */
export function svcGroup<const G extends Group>(routes: G): Svc<G> {
  // Safe: only `origin` is added.
  return withOrigin(routes) as Svc<G>;
}

export type Svc<G extends Group> = { [R in keyof G]: G[R] & { origin: 'svc' } };

function withOrigin(routes: Group): Group {
  return Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, { ...route, origin: 'svc' }]));
}

export function multipart<T extends z.core.$ZodObject>(fields: T): MultipartBody<T> {
  return { kind: 'multipart', fields };
}

export function eventStream<T extends z.core.$ZodType>(event: T): EventStream<T> {
  return { kind: 'event-stream', event };
}

export function ndjson<T extends z.core.$ZodType>(line: T): Ndjson<T> {
  return { kind: 'ndjson', line };
}

export function bytes(media: string): BytesBody {
  return { kind: 'bytes', media };
}

export function passthrough<T extends z.core.$ZodType>(json: T): Passthrough<T> {
  return { kind: 'passthrough', json };
}

/** Splits `at` into method and path template. */
export function locate(spec: Pick<RouteSpec, 'at'>): { method: Method; path: string } {
  const space = spec.at.indexOf(' ');
  return { method: toMethod(spec.at.slice(0, space)), path: spec.at.slice(space + 1) };
}

// Safe: `at` is typed as `${Method} /…`, so what stands before the first space is a Method.
function toMethod(word: string): Method {
  return word as Method;
}

/**
 * Every error status a route may answer: the declared ones, the derived 422 (in SCIM: 400), and 429 where
 * running agents call, whose requests take turns.
 */
export function errorStatuses(spec: RouteSpec): ErrorStatus[] {
  const takesInput = spec.params !== undefined || spec.query !== undefined || spec.headers !== undefined || spec.body !== undefined;
  const takesTurns = spec.scope === 'run' || spec.runs === true;
  return [
    ...new Set<ErrorStatus>([
      ...spec.errors,
      ...(takesInput ? [spec.scope === 'scim' ? (400 as const) : (422 as const)] : []),
      ...(takesTurns ? [429 as const] : []),
    ]),
  ].sort((a, b) => a - b);
}

/** True for plain JSON described by a schema; false for forms, bytes and streams. */
export function isSchema(spec: BodySpec | OutSpec): spec is z.core.$ZodType {
  return '_zod' in spec;
}
