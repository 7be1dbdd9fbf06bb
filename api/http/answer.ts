// From a handler's result to the wire; in strict mode every answer is first checked against the contract.
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { HttpContext } from './state.ts';
import { z } from 'zod';
import { isSchema, type EventStream, type Ndjson, type RouteSpec } from '#contract/kit.ts';
import type { HttpDeps } from './deps.ts';
import { Picture, Redirect, Reply, type Http, type ServerEvent } from './handlers.ts';
import { inAscii } from './location.ts';
import { isEventStream, withKeepAlive } from './idle-timer.ts';
import { SCIM_MEDIA } from './scim-form.ts';
import { HEARTBEAT_MS, sendEvents, sendLines, TYPE_OF, unlessOver } from './stream.ts';

/** The answer does not keep the contract: a bug of ours, shown as 500 under test. */
class BrokenPromise extends Error {}

export async function answer(ctx: HttpContext, spec: RouteSpec, result: unknown, http: Http, deps: HttpDeps): Promise<void> {
  if (result instanceof Redirect && http.wantsHtml) return redirect(ctx, result.url);
  if (result instanceof Picture) return picture(ctx, result);
  const { status, body, headers } = replyOf(result, spec);
  if (!statusesOf(spec).includes(status)) broken(deps, spec, `status ${status} is not declared`);
  ctx.status = status;
  ctx.set(headers);
  if (spec.out === undefined) ctx.body = null;
  else if (isSchema(spec.out) && status === 304) ctx.body = null;
  else if (isSchema(spec.out)) ctx.body = json(ctx, spec, spec.out, body, deps);
  else if (spec.out.kind === 'bytes' || body instanceof Readable) {
    // An agent's events, passed on: it may sleep in the middle of them.
    const events = body instanceof Readable && isEventStream(headers);
    ctx.body = status === 304 ? null : events ? withKeepAlive(body, deps.heartbeatMs ?? HEARTBEAT_MS) : body;
    // Koa takes the length away when it is given a stream; the handler knows it.
    ctx.set(headers);
  } else if (spec.out.kind === 'passthrough' && isEvents(body)) await stream(ctx, { kind: 'event-stream', event: z.unknown() }, body, http, deps);
  else if (spec.out.kind === 'passthrough') ctx.body = json(ctx, spec, status < 400 ? spec.out.json : z.unknown(), body, deps);
  else await stream(ctx, spec.out, body, http, deps);
}

function replyOf(result: unknown, spec: RouteSpec): { status: number; body: unknown; headers: Reply<unknown, number>['headers'] } {
  if (result instanceof Reply) return result;
  const body = result instanceof Redirect ? result.facts : result;
  return { status: spec.status ?? 200, body, headers: {} };
}

function statusesOf(spec: RouteSpec): number[] {
  const declared: number[] = [spec.status ?? 200, ...(spec.ranges ? [206, 304] : []), ...(spec.conditional ? [304] : []), ...(spec.defers ? [202] : [])];
  return spec.out && !isSchema(spec.out) && spec.out.kind === 'passthrough' ? [...declared, ...spec.errors, 422] : declared;
}

function redirect(ctx: HttpContext, url: string): void {
  ctx.status = 302;
  ctx.set('location', inAscii(url));
  ctx.set('cache-control', 'no-store');
  ctx.body = '';
}

/** Opened directly it is a document: it may load and run nothing. */
function picture(ctx: HttpContext, { svg, headers }: Picture): void {
  ctx.set({ ...headers, 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" });
  ctx.type = 'image/svg+xml; charset=utf-8';
  ctx.body = svg;
}

function json(ctx: HttpContext, spec: RouteSpec, schema: z.core.$ZodType, body: unknown, deps: HttpDeps): string {
  const text = JSON.stringify(body) ?? 'null';
  if (deps.strict) holdAgainst(schema, JSON.parse(text), `${spec.at} answered`);
  ctx.type = `${spec.scope === 'scim' ? SCIM_MEDIA : 'application/json'}; charset=utf-8`;
  return text;
}

/** Throws BrokenPromise when the value does not match, or carries members the schema does not name. */
function holdAgainst(schema: z.core.$ZodType, value: unknown, what: string): void {
  const parsed = z.core.safeParse(schema, value);
  if (!parsed.success) throw new BrokenPromise(`${what} what its contract does not allow: ${z.core.prettifyError(parsed.error)}`);
  if (!isDeepStrictEqual(parsed.data, value)) throw new BrokenPromise(`${what} members its contract does not name: ${JSON.stringify(value).slice(0, 500)}`);
}

async function stream(ctx: HttpContext, out: EventStream | Ndjson, body: unknown, http: Http, deps: HttpDeps): Promise<void> {
  if (ctx.method === 'HEAD') return void ctx.set('content-type', TYPE_OF[out.kind]);
  const items = out.kind === 'event-stream' && http.lastEventId !== undefined ? await unlessOver(events(body)) : body;
  // An EventSource connects again when its stream ends, until it gets this.
  if (items === undefined) return void (ctx.status = 204);
  ctx.respond = false;
  const options = { signal: http.signal, heartbeatMs: deps.heartbeatMs, log: deps.log };
  for (const [name, value] of Object.entries(ctx.response.headers)) if (value !== undefined) ctx.res.setHeader(name, value);
  if (out.kind === 'ndjson') return sendLines(ctx.res, checked(iterable(items), out.line, deps.strict), options);
  return sendEvents(ctx.res, checkedEvents(events(items), out.event, deps.strict), options);
}

async function* checked(lines: AsyncIterable<unknown>, schema: z.core.$ZodType, strict: boolean): AsyncGenerator<unknown> {
  for await (const line of lines) {
    if (strict) holdAgainst(schema, JSON.parse(JSON.stringify(line)), 'a stream sent');
    yield line;
  }
}

async function* checkedEvents(items: AsyncIterable<ServerEvent<unknown>>, schema: z.core.$ZodType, strict: boolean): AsyncGenerator<ServerEvent<unknown>> {
  for await (const item of items) {
    if (strict) holdAgainst(schema, JSON.parse(JSON.stringify(item.data)), `event ${item.event} carried`);
    yield item;
  }
}

/** JSON has no iterators. */
function isEvents(body: unknown): body is AsyncIterable<ServerEvent<unknown>> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function broken(deps: HttpDeps, spec: RouteSpec, what: string): void {
  if (deps.strict) throw new BrokenPromise(`${spec.at}: ${what}`);
  deps.log.error({ route: spec.at }, `broken contract: ${what}`);
}

// Safe: Handlers<> types the result of a stream route as an iterable, and a stream route has no other result.
function iterable(body: unknown): AsyncIterable<unknown> {
  return body as AsyncIterable<unknown>;
}

// Safe: as above; event streams are typed as iterables of ServerEvent.
function events(body: unknown): AsyncIterable<ServerEvent<unknown>> {
  return body as AsyncIterable<ServerEvent<unknown>>;
}
