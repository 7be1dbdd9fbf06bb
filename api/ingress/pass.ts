// One request to an agent and its answer back, unbuffered in both directions.
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { errors } from 'undici';
import type { AgentPools } from '#drivers/agent-http/pools.ts';
import { PayloadTooLarge } from '#core/kernel/errors.ts';
import { Relay } from './relay.ts';
import type { HttpVisit, Outcome, Ready, Step } from './step.ts';
import { busy, refusalFor } from './unreached.ts';

export interface PassOptions {
  /** Shared with whatever else talks to agents; closed by who made them. */
  pools: AgentPools;
  /** Default 64 MiB. */
  maxBodyBytes?: number;
  /** Beyond the skill's own limit: to wake, and for the agent to say that it passed; default 30 000 ms. */
  marginMs?: number;
}

/** Nothing is changed by sending these twice. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Resolves when the answer has ended; fails with a DomainError as long as nothing of an answer was sent. One
 * promise: every call waits for it.
 */
export function createPass({ pools, maxBodyBytes = 64 * 1024 * 1024, marginMs = 30_000 }: PassOptions, heartbeatMs: number): Step<HttpVisit & Ready> {
  return (visit) => {
    const { request, response, route, headers } = visit;
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > maxBodyBytes) throw tooLarge(maxBodyBytes);
    const upstream = pools.take(route.address);
    if (!upstream) throw busy(route);
    const { method = 'GET', url: path = '/' } = request;
    const body = bodyOf(request, declared, maxBodyBytes);
    const timeoutMs = route.maxRuntimeMs + marginMs;
    const dispatch = { method, path, headers, body, headersTimeout: timeoutMs, bodyTimeout: 0 };
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
          upstream.pool.dispatch(dispatch, new Relay({ visit, timeoutMs, heartbeatMs, resolve: ended, reject: otherwise }));
        } catch (error) {
          failed(error);
        }
      };
      if (body !== null || !REPEATABLE.has(method)) send(failed);
      else send((error) => (isConnectionError(error) && !response.closed ? send(failed) : failed(error)));
    });
  };
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

/** The connection failed; nothing was heard of an answer. */
function isConnectionError(error: unknown): boolean {
  if (error instanceof errors.SocketError) return true;
  return error instanceof Error && 'code' in error && ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'].includes(String(error.code));
}
