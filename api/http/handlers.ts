// What a route file is checked against: inputs as the schemas give them out, answers as the schemas take them
// in.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Contract } from '#contract/index.ts';
import type { BytesBody, ErrorStatus, EventStream, Group, MultipartBody, Ndjson, Passthrough, RouteSpec } from '#contract/kit.ts';
import type { AnonymousActor, Ctx, RunActor } from '#core/kernel/ctx.ts';
import type { Refusal } from './errors.ts';
import type { ActorOf } from './scopes.ts';

/** An answer with its own status or headers; plain values are answered with the declared status. */
export class Reply<T, S extends number> {
  readonly status: S;
  readonly body: T;
  readonly headers: HeaderValues;
  constructor(status: S, body: T, headers: HeaderValues = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A browser (`Accept: text/html`) gets 302 to `url`, everyone else the same facts as JSON. */
export class Redirect<T> {
  readonly url: string;
  readonly facts: T;
  constructor(url: string, facts: T) {
    this.url = url;
    this.facts = facts;
  }
}

/**
 * An SVG picture instead of JSON, where the route declares one. It is ours: no script, and nothing that is
 * not escaped.
 */
export class Picture {
  readonly svg: string;
  readonly headers: HeaderValues;
  constructor(svg: string, headers: HeaderValues = {}) {
    this.svg = svg;
    this.headers = headers;
  }
}

export type HeaderValues = Record<string, string | string[]>;

export interface CookieOptions {
  /** Seconds; absent: until the browser closes. */
  maxAge?: number;
  /** Default 'lax'. */
  sameSite?: 'lax' | 'strict';
}

/** Cookies of this origin. Set ones are `__Host-` named, Secure, HttpOnly, Path=/ and without Domain. */
export interface Cookies {
  get(name: `__Host-${string}`): string | undefined;
  set(name: `__Host-${string}`, value: string, options?: CookieOptions): void;
  clear(name: `__Host-${string}`): void;
}

/** What a handler may know of HTTP. */
export interface Http {
  readonly cookies: Cookies;
  /** The caller's address. */
  readonly ip: string;
  /** The caller is a browser asking for a page. */
  readonly wantsHtml: boolean;
  /**
   * Aborted when the caller has gone, or the process is shutting down: for work that can be continued later.
   */
  readonly signal: AbortSignal;
  /**
   * Aborted when the caller has gone, or has to go because a stopping process waits no longer: for what is
   * done once.
   */
  readonly gone: AbortSignal;
  /** Where an event stream is to resume after; header `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  header(name: string): string | undefined;
  /** All whose names begin so, in lower case. */
  headersFrom(prefix: string): Record<string, string>;
  reply<T, const S extends number>(status: S, body: T, headers?: HeaderValues): Reply<T, S>;
  redirect<T>(url: string, facts: T): Redirect<T>;
  /**
   * What a request would have been answered that ended with this error: for one whose parts have answers of
   * their own. A defect is logged.
   */
  refusal(error: unknown): Refusal;
}

export interface ServerEvent<T> {
  /** What a client sends back as Last-Event-ID. */
  id?: string | undefined;
  event: string;
  data: T;
}

/**
 * Parts in the order they were sent. A file's stream must be read (or destroyed) before the next part comes.
 */
export type Part<Name extends string> =
  | { kind: 'field'; name: Name; value: string }
  | { kind: 'file'; name: Name; filename: string; media: string; stream: Readable };

type BodyInput<B> = B extends z.core.$ZodType
  ? z.output<B>
  : B extends MultipartBody<infer F>
    ? AsyncIterable<Part<keyof z.output<F> & string>>
    : B extends BytesBody
      ? Readable
      : never;

/** Only what the route declares is there. */
type Input<R> = (R extends { params: infer P extends z.core.$ZodType } ? { params: z.output<P> } : unknown) &
  (R extends { query: infer Q extends z.core.$ZodType } ? { query: z.output<Q> } : unknown) &
  (R extends { headers: infer H extends z.core.$ZodType } ? { headers: z.output<H> } : unknown) &
  (R extends { body: infer B } ? { body: BodyInput<B> } : unknown);

type Output<R> = R extends { out: infer O }
  ? O extends z.core.$ZodType
    ? z.input<O>
    : O extends EventStream<infer E>
      ? AsyncIterable<ServerEvent<z.input<E>>>
      : O extends Ndjson<infer L>
        ? AsyncIterable<z.input<L>>
        : O extends Passthrough<infer J>
          ? z.input<J> | Readable | AsyncIterable<ServerEvent<unknown>>
          : O extends BytesBody
            ? Readable | Uint8Array
            : never
  : void;

type Success<R> =
  | (R extends { status: infer S extends number } ? S : 200)
  | (R extends { ranges: true } ? 206 | 304 : never)
  | (R extends { conditional: true } ? 304 : never)
  | (R extends { defers: true } ? 202 : never);
type Failure<R> = R extends { errors: infer E extends readonly ErrorStatus[] } ? E[number] | 422 : never;

/** A passed-through answer keeps the agent's own status as long as the route declares it. */
type Result<R> = R extends { out: Passthrough }
  ? Reply<Output<R>, Success<R> | Failure<R>>
  : Output<R> | Reply<Output<R>, Success<R>> | (R extends { redirects: true } ? Redirect<Output<R>> : never) | (R extends { picture: true } ? Picture : never);

/** The actor is narrowed to what the route admits. */
type CtxFor<R extends RouteSpec> = Omit<Ctx, 'actor'> & {
  actor:
    | ActorOf<R['scope']>
    | (R extends { linked: true } | { signed: readonly string[] } ? AnonymousActor : never)
    | (R extends { runs: true } ? RunActor : never);
};

type Handler<R extends RouteSpec> = (ctx: CtxFor<R>, input: Input<R>, http: Http) => Promise<Result<R>> | Result<R>;

export type Handlers<G extends Group> = { readonly [K in keyof G]: Handler<G[K]> };

/** Every group of the contract has its handlers. */
export type ContractHandlers<C extends Record<string, Group>> = { readonly [K in keyof C]: Handlers<C[K]> };

/** Those of one area; a name that is no group of the contract's does not compile. */
export type AreaHandlers = Partial<ContractHandlers<Contract>>;
