// Senders who do not send: on real sockets, with limits of milliseconds.
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import type { ReceivingTimes } from './http/receiver.ts';
import { type ApiServer, createApiServer } from './server.ts';

let server: ApiServer;
let port: number;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function serve(times: Partial<ReceivingTimes>, read = true): Promise<void> {
  const api: Parameters<typeof createApiServer>[0]['api'] = (request, response) => {
    let bytes = 0;
    if (!read) request.pause();
    else request.on('data', (chunk: Buffer) => void (bytes += chunk.length)).on('end', () => response.end(`read ${bytes}`));
    request.on('error', () => undefined);
    onRequest?.(request);
  };
  server = createApiServer({ api, stopping: new AbortController(), graceMs: 100, times: { checkEveryMs: 5, ...times } });
  port = Number(new URL(await server.listen(0, '127.0.0.1')).port);
}
let onRequest: ((request: IncomingMessage) => void) | undefined;

function open(head: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(head);
  return socket;
}

const post = (type: string, length: number): string =>
  `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
const late = /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"code":"request_timeout"/;

/** Writes `piece` again and again until the other side has had enough, or `most` were sent. */
function drip(socket: Socket, piece: Buffer, everyMs: number, most = Number.POSITIVE_INFINITY): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || socket.writableEnded || sent >= most) return clearInterval(timer);
    sent += 1;
    socket.write(piece);
  }, everyMs);
}

test('headers that do not end are refused, though they drip', async () => {
  await serve({ headersMs: 60 });
  const socket = open('GET / HTTP/1.1\r\nhost: x\r\n');
  drip(socket, Buffer.from('x-drip: 1\r\n'), 10);
  expect(await text(socket)).toMatch(late);
});

test('a connection that says nothing is refused', async () => {
  await serve({ headersMs: 60 });
  expect(await text(open(''))).toMatch(late);
});

test('a body that falls silent is refused, whatever its kind and whatever its length was', async () => {
  await serve({ idleMs: 60 });
  const chunked = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n';
  const answers = [open(`${post('application/json', 20)}{"a":`), open(`${post('application/gzip', 1e9)}some`), open(chunked)].map((socket) => text(socket));
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(late);
});

test('a small body that drips is refused: each piece comes in time, the whole does not', async () => {
  await serve({ idleMs: 60_000, totalMs: 100 });
  for (const type of ['application/json', 'application/merge-patch+json; charset=utf-8', 'application/x-www-form-urlencoded']) {
    const socket = open(post(type, 1_000_000));
    drip(socket, Buffer.from('x'), 5);
    expect(await text(socket), type).toMatch(late);
  }
});

test('a large body that comes too slowly is refused; one that makes progress may take as long as it needs', async () => {
  await serve({ idleMs: 60_000, totalMs: 50, bytesPerSecond: 100_000 });
  const slow = open(post('application/gzip', 1_000_000));
  drip(slow, Buffer.from('x'), 5);
  expect(await text(slow)).toMatch(late);
  const pieces = 40;
  const began = performance.now();
  const upload = open(post('application/gzip', pieces * 20_000));
  drip(upload, Buffer.alloc(20_000), 10, pieces);
  expect(await text(upload)).toMatch(/read 800000$/);
  // Else the limit was never passed, and nothing was tried.
  expect(performance.now() - began).toBeGreaterThan(50);
});

test('a sender whom we hold back is not late', async () => {
  await serve({ idleMs: 200, totalMs: 200 }, false);
  const began = new Promise<IncomingMessage>((resolve) => (onRequest = resolve));
  const size = 4 * 1024 * 1024;
  const upload = open(post('application/gzip', size));
  upload.write(Buffer.alloc(size));
  const request = await began;
  // Far beyond every limit; each tick of the check sees the bytes that lie unread.
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(request.destroyed).toBe(false);
  let read = 0;
  request.on('data', (chunk: Buffer) => void (read += chunk.length)).resume();
  await expect.poll(() => read).toBe(size);
});
