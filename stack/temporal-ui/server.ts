// In front of Temporal's UI on this machine: its bare address is our page, everything else is passed on. Only
// for pages of its own: the UI has no sign-in, and believes any host name that leads here.
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { PayloadCodec } from '@temporalio/common';
import { CODEC_PATH, decodePayloads } from './codec.ts';
import { openingPage } from './page.ts';

export interface TemporalUi {
  /** Where the UI itself listens on 127.0.0.1. */
  uiPort: number;
  namespace: string;
  /** Decrypts payloads, for who looks at it here. */
  codec: PayloadCodec;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Of one connection, not of what it carries (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

export function createTemporalUi({ uiPort, namespace, codec }: TemporalUi): Server {
  const page = openingPage(namespace);
  return createServer((incoming, response) => {
    const refusal = refusalOf(incoming.headers);
    if (refusal) return say(response, refusal.status, refusal.text);
    const [path] = (incoming.url ?? '').split('?', 1);
    if (path === '/' && (incoming.method === 'GET' || incoming.method === 'HEAD')) return void response.writeHead(200, page.headers).end(page.html);
    if (path === `${CODEC_PATH}/decode` && incoming.method === 'POST') return void decodePayloads(incoming, response, codec);
    pass(incoming, response, uiPort);
  });
}

/**
 * Another name that resolves to this machine, or a page of another origin (an agent's, say): neither may read
 * or start anything here.
 */
function refusalOf({ host = '', origin }: IncomingHttpHeaders): { status: number; text: string } | undefined {
  if (!LOOPBACK.has(host.replace(/:\d{1,5}$/, '').toLowerCase())) return { status: 421, text: 'This is open at http://localhost only.' };
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, text: 'Pages of other sites may not call this one.' };
  return undefined;
}

function pass(incoming: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url: path, headers } = incoming;
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers: endToEnd(headers) }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    pipeline(answer, response, () => undefined);
  });
  outgoing.on('error', () => (response.headersSent ? response.destroy() : say(response, 502, "Temporal's UI does not answer: see npm run status.")));
  response.once('close', () => outgoing.destroy());
  pipeline(incoming, outgoing, () => undefined);
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)));
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(`${text}\n`);
}
