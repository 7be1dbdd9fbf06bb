// Finds the request to which an uncaught error belongs, by the async context of the request.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { internal } from './errors.ts';
import { requestId } from './request-id.ts';

interface Scope {
  request: IncomingMessage;
  /** A connection instead of an answer: a WebSocket, or one that is to become one. */
  answer: ServerResponse | Duplex;
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * An error that `work` throws at once is passed to `failed`; later ones find the request by `giveUpRequest`.
 */
export function inRequest(scope: Scope, work: () => void, failed: (error: unknown) => void): void {
  scopes.run(scope, () => {
    try {
      work();
    } catch (error) {
      failed(error);
      giveUp(scope);
    }
  });
}

/** Answers 500 to the request that the present error belongs to, or cuts it off where an answer has begun. */
export function giveUpRequest(): Record<string, unknown> | undefined {
  const scope = scopes.getStore();
  return scope && { request_id: giveUp(scope), method: scope.request.method };
}

function giveUp({ request, answer }: Scope): string {
  if (!('setHeader' in answer)) {
    answer.destroy();
    return requestId(request.headers['x-request-id']);
  }
  const known = answer.getHeader('x-request-id');
  const id = requestId(typeof known === 'string' ? known : request.headers['x-request-id']);
  if (answer.headersSent || answer.destroyed) {
    answer.destroy();
    return id;
  }
  const { status, body } = internal(id);
  for (const name of answer.getHeaderNames()) answer.removeHeader(name);
  answer.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': id, connection: 'close' }).end(JSON.stringify(body));
  return id;
}
