// undici's handler: the agent's answer, chunk by chunk, as fast as the caller reads.
import { pipeline, type Transform } from 'node:stream';
import { errors, type Dispatcher } from 'undici';
import { isPageVisit } from '../http/browser.ts';
import { endWhole } from '../http/end-whole.ts';
import { type IdleTimer, idleTimeout, isEventStream, sseKeepAlive } from '../http/idle-timer.ts';
import { isPackable, packedHeaders, packer, packingFor, withVary } from '../http/packing.ts';
import { besideCross } from './cross-origin.ts';
import { toCaller } from './headers.ts';
import { isRefusal, RefusalPage } from './refusal-page.ts';
import type { HttpVisit, Outcome, Ready } from './step.ts';
import { hostError } from './unreached.ts';

export interface Relaying {
  visit: HttpVisit & Ready;
  timeoutMs: number;
  heartbeatMs: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

export class Relay implements Dispatcher.DispatchHandler {
  readonly #of: Relaying;
  #idle: IdleTimer | undefined;
  #refusal: { page: RefusalPage; status: number } | undefined;
  /** Compresses the answer on its way. */
  #packer: Transform | undefined;
  /** Bytes that the answer says it has; -1: unknown. */
  #declared = -1;

  constructor(of: Relaying) {
    this.#of = of;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { response } = this.#of.visit;
    if (response.closed) return controller.abort(new Error('the caller has gone'));
    // It closes once; `once` would wrap the listener.
    response.on('close', () => response.writableFinished || controller.abort(new Error('the caller has gone')));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    const { request, response, requestId, route } = this.#of.visit;
    const runtimeError = headers['x-svc-runtime-error'];
    if (runtimeError !== undefined) throw hostError(route, String(runtimeError));
    // A person at a browser reads it: a refusal of the agent's becomes a page.
    if (isRefusal(status, headers) && isPageVisit(request)) {
      this.#refusal = { page: new RefusalPage(), status };
      this.#idle = idleTimeout(this.#of.timeoutMs, () => controller.abort(new errors.BodyTimeoutError()));
      return;
    }
    const shown = besideCross(response, toCaller(headers, requestId));
    if (this.#pack(status, shown)) return this.#watch(this.#silence(controller));
    response.writeHead(status, shown);
    if (headers['content-length'] === undefined) {
      // Event streams say nothing for long; their headers do not wait for the first event.
      response.flushHeaders();
      if (isEventStream(headers)) return this.#watch(sseKeepAlive(response, this.#of.heartbeatMs));
    } else this.#declared = Number(headers['content-length']);
    // Most answers come whole with their headers: by then nothing is left to watch.
    queueMicrotask(() => {
      if (response.writableEnded || response.closed) return;
      this.#watch(this.#silence(controller));
    });
  }

  #silence(controller: Dispatcher.DispatchController): IdleTimer {
    return idleTimeout(this.#of.timeoutMs, () => void (controller.paused || controller.abort(new errors.BodyTimeoutError())));
  }

  /**
   * Files of a page, mostly: what has a length is no stream whose pieces are waited for. False: it goes out
   * as it is.
   */
  #pack(status: number, headers: Record<string, string | string[]>): boolean {
    const { request, response } = this.#of.visit;
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
    this.#of.visit.response.once('close', idle.stop);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { response } = this.#of.visit;
    this.#idle?.reset(chunk);
    if (this.#refusal) return this.#refusal.page.add(chunk);
    if (chunk.length === this.#declared) return endWhole(response, chunk);
    const out = this.#packer ?? response;
    if (out.write(chunk)) return;
    controller.pause();
    out.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    const { request, response, requestId } = this.#of.visit;
    this.#idle?.stop();
    if (this.#refusal) this.#refusal.page.send(response, this.#refusal.status, requestId);
    else if (this.#packer) this.#packer.end();
    else if (!response.writableEnded) response.end();
    // The agent answered without reading to the end: the rest is thrown away.
    if (!request.complete) request.unpipe().resume();
    this.#of.resolve('ok');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { response } = this.#of.visit;
    this.#idle?.stop();
    if (response.headersSent) {
      response.destroy();
      this.#of.resolve('broken');
    } else this.#of.reject(error);
  }
}
