// A gRPC call as a request of HTTP/1 within this process: its metadata are the headers, its authority the
// host.
import type { EventEmitter } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable, type Duplex } from 'node:stream';
import { status, type Metadata } from '@grpc/grpc-js';
import { messageIn } from './refusal-page.ts';

/** A connection to our own HTTP/1 server, as if from this address. */
export type Connect = (remoteAddress: string | undefined) => Duplex;

/** What is used of a call, unary or streaming. */
export interface GrpcCall extends EventEmitter {
  /** The message, or why there is none. */
  readonly request: unknown;
  readonly metadata: Metadata;
  readonly cancelled: boolean;
  readonly writableNeedDrain?: boolean;
  getHost(): string;
  getPeer(): string;
  /** Why it is refused, where the protocol has no name for it. */
  refused?: RefusedByHttp;
}

/** An answer from outside the protocol: not signed in, no such agent, too many calls. */
export class RefusedByHttp extends Error {
  readonly grpcStatus: status;
  constructor(grpcStatus: status, message: string) {
    super(message);
    this.grpcStatus = grpcStatus;
  }
}

const BY_STATUS: Record<number, status> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  402: status.FAILED_PRECONDITION,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.ABORTED,
  413: status.RESOURCE_EXHAUSTED,
  421: status.NOT_FOUND,
  429: status.RESOURCE_EXHAUSTED,
  502: status.UNAVAILABLE,
  503: status.UNAVAILABLE,
  504: status.DEADLINE_EXCEEDED,
};

/** Headers that HTTP/1 sets, gRPC's own, and those that only browsers send. */
const NOT_PASSED =
  /^(?::|grpc-|proxy-|sec-)|-bin$|^(?:host|accept|accept-encoding|connection|content-length|content-type|cookie|expect|keep-alive|origin|te|trailer|transfer-encoding|upgrade)$/;

const MAX_REFUSAL_BYTES = 64 * 1024;

/** fetch for the official client's transport. @throws RefusedByHttp */
export function requestWithin(connect: Connect, call: GrpcCall): typeof fetch {
  return async (_url, init) => {
    const own = Object.fromEntries(new Headers(init?.headers));
    const headers = { ...metadataOf(call), ...own, ...versionOf(call), host: call.getHost() };
    const answer = await send(connect(addressOf(call.getPeer())), { headers, body: String(init?.body ?? ''), signal: init?.signal });
    const { statusCode = 0 } = answer;
    if (statusCode >= 300) throw await refusalOf(statusCode, answer);
    return new Response(Readable.toWeb(answer) as ReadableStream, { status: statusCode, headers: { 'content-type': answer.headers['content-type'] ?? '' } });
  };
}

function metadataOf({ metadata }: GrpcCall): Record<string, string> {
  const given = Object.entries(metadata.getMap()).filter(([name, value]) => typeof value === 'string' && !NOT_PASSED.test(name));
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/**
 * The package speaks 1.0 to the agent, whichever generation called; the agent refuses a version it does not
 * serve.
 */
function versionOf({ metadata }: GrpcCall): Record<string, string> {
  const [version] = metadata.get('a2a-version');
  return { 'a2a-version': version === undefined || version === '' || String(version).startsWith('0.3') ? '1.0' : String(version) };
}

/** `127.0.0.1:5000`, `[::1]:5000` */
function addressOf(peer: string): string | undefined {
  return /^\[?([\d.a-f:]+?)\]?:\d+$/i.exec(peer)?.[1];
}

function send(
  connection: Duplex,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal?: AbortSignal | null | undefined },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      createConnection: () => connection,
      method: 'POST',
      path: '/a2a',
      headers: { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) },
      ...(signal && { signal }),
    });
    outgoing.once('response', resolve).on('error', reject).end(body);
  });
}

async function refusalOf(statusCode: number, answer: IncomingMessage): Promise<RefusedByHttp> {
  let text = '';
  for await (const chunk of answer) {
    text += String(chunk);
    if (text.length > MAX_REFUSAL_BYTES) break;
  }
  return new RefusedByHttp(BY_STATUS[statusCode] ?? status.UNKNOWN, messageIn(text) ?? `the agent's address answered ${statusCode}`);
}
