// WebSockets: the handshake goes through the same filters, then bytes are piped both ways.
import type { Duplex } from 'node:stream';
import { errors } from 'undici';
import { NotFound } from '#core/kernel/errors.ts';
import { requestTo } from '#drivers/agent-http/address.ts';
import { unexpected, refusalOf } from '../http/errors.ts';
import { toCaller, withoutLength } from './headers.ts';
import type { Visit, UpgradeVisit, Outcome, Ready } from './step.ts';
import { refusalFor } from './unreached.ts';

const HANDSHAKE_MS = 60_000;

export function webSocketOnly({ request }: Visit): undefined {
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') throw notAWebSocket();
}

export function passUpgrade({ request, socket, head, route, headers, requestId, own }: UpgradeVisit & Ready): Outcome {
  // RFC 6455, 4.1. An agent that knows no WebSockets answers other methods as plain requests: a call, past
  // the door that makes runs of calls.
  if (request.method !== 'GET') throw notAWebSocket();
  const upstream = requestTo(route.address, {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    // A handshake has no body, and none is sent: an agent that got its length would wait for it.
    headers: [...withoutLength(headers), 'connection', 'Upgrade', 'upgrade', 'websocket'],
    timeout: HANDSHAKE_MS,
    // A connection of its own: what this caller leaves unfinished on it must not take the beginning of the
    // next one's request.
    agent: false,
  });
  let answered = false;
  const lost = (error: unknown): void => {
    upstream.destroy();
    if (answered || socket.destroyed) socket.destroy();
    else refuseUpgrade(socket, refusalFor(error, route), requestId, own);
    answered = true;
  };
  socket.once('close', () => upstream.destroy());
  const late = (): void => lost(new errors.HeadersTimeoutError());
  upstream.on('timeout', late);
  upstream.on('error', lost);
  upstream.on('upgrade', (answer, agent, agentHead) => {
    answered = true;
    upstream.off('timeout', late);
    agent.setTimeout(0);
    socket.write(headLines(101, { ...toCaller(answer.headers, requestId), ...own, connection: 'Upgrade', upgrade: 'websocket' }));
    if (agentHead.length > 0) socket.write(agentHead);
    if (head.length > 0) agent.write(head);
    agent.pipe(socket).pipe(agent);
    agent.on('error', () => socket.destroy());
    agent.once('close', () => socket.destroy());
    socket.once('close', () => agent.destroy());
  });
  // The agent declined: its answer passes, and this connection ends with it.
  upstream.on('response', (answer) => {
    answered = true;
    socket.write(headLines(answer.statusCode ?? 502, { ...toCaller(answer.headers, requestId), ...own, connection: 'close' }));
    answer.pipe(socket);
  });
  upstream.end();
  return 'ok';
}

export function refuseUpgrade(socket: Duplex, error: unknown, requestId: string, own: Record<string, string> = {}): void {
  const { status, body, headers } = refusalOf(error, requestId) ?? unexpected(error, requestId);
  const text = JSON.stringify(body);
  const described = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), connection: 'close' };
  socket.end(headLines(status, { ...headers, ...own, ...described }) + text);
}

export function notAWebSocket(): NotFound {
  return new NotFound('upgrade_unknown', 'only WebSockets can be opened here');
}

function headLines(status: number, headers: Record<string, string | string[]>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`));
  return `HTTP/1.1 ${status} ${status === 101 ? 'Switching Protocols' : 'Answer'}\r\n${lines.join('')}\r\n`;
}
