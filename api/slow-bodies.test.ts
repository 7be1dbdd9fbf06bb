// Senders who do not send: on real sockets, with limits of milliseconds; for those who watch bodies time
// passes as the test says.
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { turns } from '#test/support/turns.ts';
import type { ReceivingTimes } from './http/receiver.ts';
import { type ApiServer, createApiServer } from './server.ts';

let server: ApiServer;
let port: number;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  vi.useRealTimers();
  await server.close();
});

async function serve(times: Partial<ReceivingTimes>, read = true): Promise<void> {
  const api: Parameters<typeof createApiServer>[0]['api'] = (request, response) => {
    let bytes = 0;
    if (!read) request.pause();
    else request.on('data', (chunk: Buffer) => void (bytes += chunk.length)).on('end', () => response.end(`read ${bytes}`));
    request.on('error', () => undefined);
    begun.push(request);
  };
  begun = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  server = createApiServer({ api, stopping: new AbortController(), graceMs: 100, times: { checkEveryMs: 5, ...times } });
  port = Number(new URL(await server.listen(0, '127.0.0.1')).port);
}
/** Time passes for whoever watches bodies. */
const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
/** Without any time passing: waits of vitest would let some pass. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turns(1);
}
let begun: IncomingMessage[] = [];
/** The last one, when so many have begun. */
async function begunAre(count: number): Promise<IncomingMessage> {
  await until(() => begun.length === count);
  const last = begun.at(-1);
  if (!last) throw new Error('none has begun');
  return last;
}
/** Resolves when the other side has read it. */
async function send(socket: Socket, { socket: far }: IncomingMessage, piece: Buffer): Promise<void> {
  const before = far.bytesRead;
  socket.write(piece);
  await until(() => far.bytesRead - before === piece.length);
}

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

test('headers that do not end are refused, though they drip', async () => {
  await serve({ headersMs: 60 });
  vi.useRealTimers();
  const socket = open('GET / HTTP/1.1\r\nhost: x\r\n');
  const answer = text(socket);
  const drip = setInterval(() => void (socket.writable && socket.write('x-drip: 1\r\n')), 10);
  onTestFinished(() => clearInterval(drip));
  expect(await answer).toMatch(late);
});

test('a connection that says nothing is refused', async () => {
  await serve({ headersMs: 60 });
  expect(await text(open(''))).toMatch(late);
});

test('a body that falls silent is refused, whatever its kind and whatever its length was', async () => {
  await serve({ idleMs: 60 });
  const chunked = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n';
  const sockets = [open(`${post('application/json', 20)}{"a":`), open(`${post('application/gzip', 1e9)}some`), open(chunked)];
  const answers = sockets.map((socket) => text(socket));
  await begunAre(3);
  pass(100);
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(late);
});

test('a small body that drips is refused: each piece comes in time, the whole does not', async () => {
  await serve({ idleMs: 50, totalMs: 100 });
  for (const [at, type] of ['application/json', 'application/merge-patch+json; charset=utf-8', 'application/x-www-form-urlencoded'].entries()) {
    const socket = open(post(type, 1_000_000));
    const answer = text(socket);
    const request = await begunAre(at + 1);
    for (let ms = 0; ms < 90; ms += 30) {
      await send(socket, request, Buffer.from('x'));
      pass(30);
    }
    expect(request.socket.destroyed).toBe(false);
    await send(socket, request, Buffer.from('x'));
    pass(30);
    expect(await answer, type).toMatch(late);
  }
});

test('a large body that comes too slowly is refused; one that makes progress may take as long as it needs', async () => {
  await serve({ idleMs: 60_000, totalMs: 50, bytesPerSecond: 100_000 });
  const slow = open(post('application/gzip', 1_000_000));
  const refusal = text(slow);
  const request = await begunAre(1);
  await send(slow, request, Buffer.alloc(1_000));
  pass(50);
  await send(slow, request, Buffer.alloc(1_000));
  pass(50);
  expect(await refusal).toMatch(late);
  const pieces = 40;
  const upload = open(post('application/gzip', pieces * 20_000));
  const answer = text(upload);
  const going = await begunAre(2);
  for (let sent = 0; sent < pieces; sent += 1) {
    await send(upload, going, Buffer.alloc(20_000));
    // A twentieth less than it brings.
    if (sent < pieces - 1) pass(190);
  }
  expect(await answer).toMatch(/read 800000$/);
});

test('a sender whom we hold back is not late', async () => {
  await serve({ idleMs: 200, totalMs: 200 }, false);
  const size = 4 * 1024 * 1024;
  const upload = open(post('application/gzip', size));
  upload.write(Buffer.alloc(size));
  const request = await begunAre(1);
  await until(() => request.readableLength > 0);
  // Far beyond every limit; each tick of the check sees the bytes that lie unread.
  pass(600);
  expect(request.destroyed).toBe(false);
  let read = 0;
  request.on('data', (chunk: Buffer) => void (read += chunk.length)).resume();
  await until(() => read === size);
});
