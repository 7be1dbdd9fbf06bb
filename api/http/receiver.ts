// A server that receives requests: what HTTP cannot read is refused, senders that are too slow are cut off,
// and an error fails only its own request.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { SecureContext, TlsOptions } from 'node:tls';
import { answerClientErrors, MALFORMED, PARSED_HEADERS, type Refused, TOO_SLOW } from './client-errors.ts';
import { inRequest } from './request-scope.ts';
import { toOriginForm } from './request-target.ts';
import { BODY_LIMITS, type BodyLimits, watchBodies } from './slow-bodies.ts';

/** How long a request may take to come; answers may take as long as they like. */
export interface ReceivingTimes extends BodyLimits {
  /**
   * From the first byte of a request, or the opening of the connection, to the end of its headers.
   * Milliseconds.
   */
  headersMs: number;
}

/** Default of `headersMs`. */
export const HEADERS_MS = 20_000;

const TIMES: ReceivingTimes = { ...BODY_LIMITS, headersMs: HEADERS_MS };

/** Undefined: there is no certificate for this name. */
export type ContextOf = (servername: string) => SecureContext | undefined | Promise<SecureContext | undefined>;

export interface ReceiverOptions {
  times?: Partial<ReceivingTimes>;
  /**
   * Called for each connection that is refused because what it sent is not readable, or not complete in time.
   */
  onRefused?: Refused;
  /** Called with what `answer` or `upgrade` threw; its request is answered 500. */
  onError?: (error: unknown) => void;
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Speaks TLS, with the certificate for the name that a client says. Absent: it does not. */
  contextOf?: ContextOf;
  /** Absent: upgrades are answered as the requests they are. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export interface Receiver {
  server: Server;
  /** Ends its timers; the server is closed by its owner. */
  stop(): void;
}

export function createReceiver({ answer, upgrade, contextOf, onRefused = () => undefined, onError = () => undefined, ...options }: ReceiverOptions): Receiver {
  const times = { ...TIMES, ...options.times };
  // Node's own limit on whole requests would end large uploads in progress; slow-bodies.ts watches bodies
  // instead.
  const limits = {
    keepAliveTimeout: 65_000,
    headersTimeout: times.headersMs,
    requestTimeout: 0,
    maxHeaderSize: PARSED_HEADERS,
    connectionsCheckingInterval: Math.min(5_000, times.headersMs),
  };
  const server = contextOf === undefined ? createServer(limits) : createTlsServer({ ...limits, ...tlsOptions(contextOf, times.headersMs) });
  const clientErrors = answerClientErrors(server, onRefused);
  const bodies = watchBodies(times, (request) => clientErrors.refuse(request.socket, TOO_SLOW, 'slow_body'));
  server.on('request', (request, response) => {
    if (clientErrors.refuseLarge(request, request.socket)) return;
    clientErrors.began(request, response);
    bodies.began(request);
    if (!toOriginForm(request)) return clientErrors.refuse(request.socket, MALFORMED, 'bad_target');
    inRequest({ request, answer: response }, () => answer(request, response), onError);
  });
  if (upgrade)
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      if (clientErrors.refuseLarge(request, socket)) return;
      if (!toOriginForm(request)) return clientErrors.refuse(socket, MALFORMED, 'bad_target');
      inRequest({ request, answer: socket }, () => upgrade(request, socket, head), onError);
    });
  return { server, stop: () => bodies.close() };
}

/**
 * Without a certificate of its own: a client that sends no name, or an unknown one, gets the alert that the
 * handshake failed.
 */
function tlsOptions(contextOf: ContextOf, handshakeTimeout: number): TlsOptions {
  return {
    handshakeTimeout,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    SNICallback(servername, answer) {
      const secureContext = contextOf(servername);
      if (secureContext instanceof Promise)
        secureContext.then(
          (context) => answer(null, context),
          () => answer(null),
        );
      else answer(null, secureContext);
    },
  };
}
