// One request to an agent and its answer back, unbuffered in both directions.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, pipeline, type Readable, type Transform } from 'node:stream';
import { errors, type Dispatcher } from 'undici';
import type { AgentPools } from '#drivers/agent-http/pools.ts';
import { BadGateway, DomainError, GatewayTimeout, PayloadTooLarge, Unavailable } from '#core/kernel/errors.ts';
import { besideCross } from './cross-origin.ts';
import { toCaller } from './headers.ts';
import type { IngressRoute } from './route-cache.ts';
import { isRefusal, RefusalPage } from './refusal-page.ts';
import { endWhole } from '../http/end-whole.ts';
import { type IdleTimer, idleTimeout, isEventStream, sseKeepAlive } from '../http/idle-timer.ts';
import { isPackable, packedHeaders, packer, packingFor, withVary } from '../http/packing.ts';

export interface Passing {
  request: IncomingMessage;
  response: ServerResponse;
  route: IngressRoute;
  /** Name and value in turn. */
  headers: string[];
  requestId: string;
  /** A person at a browser reads it: a refusal of the agent's becomes a page. */
  forPerson?: boolean;
}

export interface ProxyOptions {
  pools: AgentPools;
  maxBodyBytes: number;
  /** Milliseconds without an event after which the caller of an event stream gets a comment. */
  heartbeatMs: number;
  /**
   * Beyond the skill's own limit: for waking, and for the agent to say itself that the limit passed.
   * Milliseconds.
   */
  marginMs: number;
}

/** Nothing is changed by sending these twice. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);

export type Outcome = 'ok' | 'broken';

/**
 * Resolves when the answer has ended; fails with a DomainError as long as nothing of an answer was sent. One
 * promise: every call waits for it.
 */
export function pass(passing: Passing, options: ProxyOptions): Promise<Outcome> {
  const { request, response, route } = passing;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > options.maxBodyBytes) throw tooLarge(options.maxBodyBytes);
  const upstream = options.pools.take(route.address);
  if (!upstream) throw busy(route);
  const { method = 'GET', url: path = '/' } = request;
  const body = bodyOf(request, declared, options.maxBodyBytes);
  const timeoutMs = route.maxRuntimeMs + options.marginMs;
  const dispatch = { method, path, headers: passing.headers, body, headersTimeout: timeoutMs, bodyTimeout: 0 };
  const limits = { timeoutMs, heartbeatMs: options.heartbeatMs };
  return new Promise((resolve, reject) => {
    const ended = (outcome: Outcome): void => {
      upstream.inFlight--;
      resolve(outcome);
    };
    const failed = (error: unknown): void => {
      upstream.inFlight--;
      reject(refusalFor(error, route));
    };
    const send = (otherwise: (error: unknown) => void): void => {
      try {
        upstream.pool.dispatch(dispatch, new Relay(passing, limits, ended, otherwise));
      } catch (error) {
        failed(error);
      }
    };
    if (body !== null || !REPEATABLE.has(method)) send(failed);
    else send((error) => (isConnectionError(error) && !response.closed ? send(failed) : failed(error)));
  });
}

/**
 * Null where there is none. A stream of its own, so that a failing upstream does not end the caller's
 * connection unanswered.
 */
function bodyOf(request: IncomingMessage, declared: number, most: number): Readable | null {
  if (declared === 0 && request.headers['transfer-encoding'] === undefined) return null;
  let seen = 0;
  const body = new PassThrough({
    transform: (chunk: Buffer, _encoding, done) => ((seen += chunk.length) > most ? done(tooLarge(most)) : done(null, chunk)),
  });
  // Without a listener, a body that breaks off while it waits for its turn would end the process.
  body.on('error', () => undefined);
  request.on('error', (error) => body.destroy(error));
  return request.pipe(body);
}

function tooLarge(most: number): PayloadTooLarge {
  return new PayloadTooLarge('body_too_large', `a request to an agent may have at most ${most} bytes`);
}

/** undici's handler: the agent's answer, chunk by chunk, as fast as the caller reads. */
class Relay implements Dispatcher.DispatchHandler {
  readonly #passing: Passing;
  readonly #timeoutMs: number;
  readonly #heartbeatMs: number;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #reject: (error: unknown) => void;
  #idle: IdleTimer | undefined;
  #refusal: RefusalPage | undefined;
  /** Compresses the answer on its way. */
  #packer: Transform | undefined;
  /** Bytes that the answer says it has; -1: unknown. */
  #declared = -1;

  constructor(
    passing: Passing,
    { timeoutMs, heartbeatMs }: { timeoutMs: number; heartbeatMs: number },
    resolve: (outcome: Outcome) => void,
    reject: (error: unknown) => void,
  ) {
    this.#passing = passing;
    this.#timeoutMs = timeoutMs;
    this.#heartbeatMs = heartbeatMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { response } = this.#passing;
    if (response.closed) return controller.abort(new Error('the caller has gone'));
    // It closes once; `once` would wrap the listener.
    response.on('close', () => response.writableFinished || controller.abort(new Error('the caller has gone')));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    const { response, requestId, route } = this.#passing;
    const runtimeError = headers['x-svc-runtime-error'];
    if (runtimeError !== undefined) throw hostError(route, String(runtimeError));
    if (this.#passing.forPerson && isRefusal(status, headers)) {
      this.#refusal = new RefusalPage(response, status, requestId);
      this.#idle = idleTimeout(this.#timeoutMs, () => controller.abort(new errors.BodyTimeoutError()));
      return;
    }
    const shown = besideCross(response, toCaller(headers, requestId));
    if (this.#pack(status, shown)) return this.#watch(this.#silence(controller));
    response.writeHead(status, shown);
    if (headers['content-length'] === undefined) {
      // Event streams say nothing for long; their headers do not wait for the first event.
      response.flushHeaders();
      if (isEventStream(headers)) return this.#watch(sseKeepAlive(response, this.#heartbeatMs));
    } else this.#declared = Number(headers['content-length']);
    // Most answers come whole with their headers: by then nothing is left to watch.
    queueMicrotask(() => {
      if (response.writableEnded || response.closed) return;
      this.#watch(this.#silence(controller));
    });
  }

  #silence(controller: Dispatcher.DispatchController): IdleTimer {
    return idleTimeout(this.#timeoutMs, () => void (controller.paused || controller.abort(new errors.BodyTimeoutError())));
  }

  /**
   * Files of a page, mostly: what has a length is no stream whose pieces are waited for. False: it goes out
   * as it is.
   */
  #pack(status: number, headers: Record<string, string | string[]>): boolean {
    const { request, response } = this.#passing;
    const { 'content-length': length, ...rest } = headers;
    if (request.method !== 'GET' || status !== 200 || !isPackable(headers, length === undefined ? undefined : Number(length))) return false;
    headers['vary'] = withVary(headers['vary'], 'accept-encoding');
    const packing = packingFor(request.headers);
    if (packing === undefined) return false;
    response.writeHead(status, { ...rest, vary: headers['vary'], ...packedHeaders(packing, headers['etag']) });
    // What packs waits for more before it writes; the headers do not.
    response.flushHeaders();
    this.#packer = packer(packing);
    // However it ends, the other one ends with it.
    pipeline(this.#packer, response, () => undefined);
    return true;
  }

  #watch(idle: IdleTimer): void {
    this.#idle = idle;
    this.#passing.response.once('close', idle.stop);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { response } = this.#passing;
    this.#idle?.reset(chunk);
    if (this.#refusal) return this.#refusal.add(chunk);
    if (chunk.length === this.#declared) return endWhole(response, chunk);
    const out = this.#packer ?? response;
    if (out.write(chunk)) return;
    controller.pause();
    out.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    const { request, response } = this.#passing;
    this.#idle?.stop();
    if (this.#refusal) this.#refusal.end();
    else if (this.#packer) this.#packer.end();
    else if (!response.writableEnded) response.end();
    // The agent answered without reading to the end: the rest is thrown away.
    if (!request.complete) request.unpipe().resume();
    this.#resolve('ok');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { response } = this.#passing;
    this.#idle?.stop();
    if (response.headersSent) {
      response.destroy();
      this.#resolve('broken');
    } else this.#reject(error);
  }
}

/** Said by the machine the agent lives on, not by the agent. */
function hostError(route: IngressRoute, code: string): DomainError {
  if (code === 'wake_queue_full') return busy(route);
  if (code === 'unhealthy') return new GatewayTimeout('agent_timeout', `${route.agentName} did not wake in time: see svc logs ${route.agentName}`);
  return unreachable(route);
}

export function refusalFor(error: unknown, route: IngressRoute): DomainError {
  if (error instanceof DomainError) return error;
  const late = error instanceof errors.HeadersTimeoutError || error instanceof errors.ConnectTimeoutError;
  return late ? new GatewayTimeout('agent_timeout', `${route.agentName} did not answer within ${route.maxRuntimeMs / 1000} s`) : unreachable(route);
}

function unreachable({ agentName, box }: IngressRoute): BadGateway {
  if (box) return new BadGateway('dev_box_not_serving', `nothing is served at ${agentName}; serve its project there with: svc dev`);
  return new BadGateway('agent_unreachable', `${agentName} could not be reached: see svc logs ${agentName}`);
}

function busy({ agentName }: IngressRoute): Unavailable {
  return new Unavailable('agent_busy', `${agentName} has too many calls waiting: try again in a moment`, { retry_after_seconds: 1 });
}

/** The connection failed; nothing was heard of an answer. */
function isConnectionError(error: unknown): boolean {
  if (error instanceof errors.SocketError) return true;
  return error instanceof Error && 'code' in error && ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'].includes(String(error.code));
}
