// What HTTP itself cannot read: refused in the API's own shape, and the connection ends. Nothing in it
// reaches a handler.
import { type IncomingMessage, METHODS, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorResponse } from '#contract/error-response.ts';
import type { CodeOf } from '#contract/errors/index.ts';
import { cookieRemoval, type Removal } from './cookie-removal.ts';
import { requestId } from './request-id.ts';
import { inScimForm, isScim, SCIM_MEDIA } from './scim-form.ts';

export interface Unreadable {
  status: 400 | 405 | 408 | 413 | 431;
  code: CodeOf<400 | 405 | 408 | 413 | 431>;
  message: string;
  headers?: readonly string[];
}

export const MALFORMED: Unreadable = {
  status: 400,
  code: 'malformed_request',
  message: 'this is not a valid HTTP/1.1 request: correct the client that sent it',
};
export const TOO_SLOW: Unreadable = { status: 408, code: 'request_timeout', message: 'the request was not complete in time: send it again' };
const TOO_LARGE: Unreadable = {
  status: 431,
  code: 'headers_too_large',
  message: 'the headers of a request may have at most 16384 bytes: send fewer or shorter ones',
};
const BY_CODE: Record<string, Unreadable> = {
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'chunk_extensions_too_large',
    message: 'the chunks of a body may have at most 16384 bytes of extensions',
  },
};
/** Of a request that is whole but for its method, which no route has. */
const UNKNOWN_METHOD: Unreadable = {
  status: 405,
  code: 'method_not_allowed',
  message: 'nothing here takes this method',
  headers: ['allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
};
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) [!-~]+ HTTP\/1\.[01]\r?\n/;
const PHRASES = { 400: 'Bad Request', 405: 'Method Not Allowed', 408: 'Request Timeout', 413: 'Content Too Large', 431: 'Request Header Fields Too Large' };

/**
 * How long a refused sender may keep sending until the connection is closed; closed at once, the sender would
 * lose the answer.
 */
const LINGER_MS = 1_000;

/** `code` of the parser, for the log. */
export type Refused = (refusal: { request_id: string; status: number; fault: string }) => void;

interface Of {
  /** Of the request that is refused; absent: of the latest one, where that is not answered. */
  target?: string | undefined;
  removal?: Removal | undefined;
}

export interface ClientErrors {
  /**
   * To be called with each request as it comes: what it is owed goes out before its connection is refused.
   */
  began(request: IncomingMessage, response: ServerResponse): void;
  /** Refuses the rest of a connection. */
  refuse(socket: Duplex, why: Unreadable, fault: string, of?: Of): void;
  /** Refuses a request whose headers are too large. Call it before `began`. False: they are not. */
  refuseLarge(request: IncomingMessage, socket: Duplex): boolean;
}

/** Of a target and its headers, as the parser counts. */
const MAX_HEADERS = 16_384;
/**
 * The parser's own limit: a request within it is read, so that the refusal has the form of its address. Of a
 * larger one, the first packet still has the host.
 */
export const PARSED_HEADERS = 2 * MAX_HEADERS;

export function answerClientErrors(server: Server, refused: Refused): ClientErrors {
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  const ended = new WeakSet<Duplex>();

  const refuse: ClientErrors['refuse'] = (socket, why, fault, of = {}) => {
    // The parser reports every further piece of what it cannot read.
    if (ended.has(socket)) return;
    ended.add(socket);
    const { request, response } = latest.get(socket) ?? {};
    if (!response || response.writableFinished) return end(socket, why, fault, of);
    // Whole requests before the broken one get their answers first.
    if (request?.complete && !response.destroyed) return void response.once('close', () => end(socket, why, fault, of));
    if (response.headersSent) return void socket.destroy();
    end(socket, why, fault, { ...of, target: of.target ?? request?.url });
  };

  function end(socket: Duplex, why: Unreadable, fault: string, { target, removal }: Of): void {
    const { status, code, message, headers = [] } = why;
    const { head: more, page }: Removal = removal ?? { head: [] };
    if (!socket.writable) return void socket.destroy();
    const id = requestId();
    refused({ request_id: id, status, fault });
    const body: ErrorResponse = { detail: { code, message, request_id: id } };
    const scim = isScim(target);
    const text = page ?? JSON.stringify(scim ? inScimForm({ status, body }) : body);
    const head = [
      `HTTP/1.1 ${status} ${PHRASES[status]}`,
      ...(page === undefined
        ? [`content-type: ${scim ? SCIM_MEDIA : 'application/json'}; charset=utf-8`]
        : ['content-type: text/html; charset=utf-8', "content-security-policy: default-src 'none'"]),
      `content-length: ${Buffer.byteLength(text)}`,
      `x-request-id: ${id}`,
      'connection: close',
      ...headers,
      ...more,
    ];
    const late = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(late));
    // As it came: names of cookies may be of any bytes.
    socket.end(Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`, 'latin1'));
  }

  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    const { code = 'unknown', rawPacket } = error;
    if (code === 'ECONNRESET' || code === 'EPIPE') return void socket.destroy();
    const removal = code === 'HPE_HEADER_OVERFLOW' && rawPacket !== undefined ? cookieRemoval(rawPacket, servernameOf(socket)) : undefined;
    refuse(socket, code === 'HPE_INVALID_METHOD' && hasUnknownMethod(rawPacket) ? UNKNOWN_METHOD : (BY_CODE[code] ?? MALFORMED), code, {
      removal,
      target: targetIn(rawPacket),
    });
  });
  return {
    began: (request, response) => void latest.set(request.socket, { request, response }),
    refuse,
    refuseLarge(request, socket) {
      const { method, url = '', rawHeaders } = request;
      if (rawHeaders.reduce((sum, text) => sum + text.length, url.length) < MAX_HEADERS) return false;
      const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
      const removal = cookieRemoval(Buffer.from([`${method} ${url} HTTP/1.1`, ...lines, ''].join('\r\n'), 'latin1'));
      refuse(socket, TOO_LARGE, 'HPE_HEADER_OVERFLOW', { removal, target: url });
      return true;
    },
  };
}

/** Of the first request in the packet. A known method there is not what the parser gave up at. */
function hasUnknownMethod(packet: Buffer | undefined): boolean {
  const [, method] = REQUEST_LINE.exec(packet?.toString('latin1') ?? '') ?? [];
  return method !== undefined && !METHODS.includes(method);
}

function servernameOf(socket: object): string | undefined {
  return 'servername' in socket && typeof socket.servername === 'string' ? socket.servername : undefined;
}

/** Of the request line, if the packet begins with one. */
function targetIn(packet: Buffer | undefined): string | undefined {
  return /^[A-Z]+ (\S+)/.exec(packet?.toString('latin1', 0, 300) ?? '')?.[1];
}
