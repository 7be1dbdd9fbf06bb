// What a connection begins with decides who gets it, however its first bytes come.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { splitByPreface } from './first-bytes.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const server = createServer((_request, response) => void response.writeHead(200, { connection: 'close' }).end('of HTTP/1'));
splitByPreface(server, (socket) => void socket.resume().end('of HTTP/2'));
let port = 0;
const sockets: Socket[] = [];
const open = (): Socket => {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  sockets.push(socket);
  return socket;
};
const written = (socket: Socket, bytes: string): Promise<void> => new Promise((resolve) => void socket.write(bytes, () => resolve()));

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['HTTP/1', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n', 'of HTTP/1'],
  ['a method that begins as the preface does', 'PROPFIND / HTTP/1.1\r\nhost: x\r\n\r\n', 'of HTTP/1'],
  ['HTTP/2', PREFACE, 'of HTTP/2'],
])('%s, in one piece and byte by byte', async (_, bytes, answer) => {
  const whole = open();
  whole.write(bytes);
  expect(await text(whole)).toContain(answer);
  const slow = open();
  for (const byte of bytes.slice(0, 6)) {
    await written(slow, byte);
    // Another connection's whole turn: the byte before it has been looked at.
    const other = open();
    other.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await text(other)).toContain('of HTTP/1');
  }
  slow.write(bytes.slice(6));
  expect(await text(slow)).toContain(answer);
});

test('one that ends before it says which is closed', async () => {
  const socket = open();
  socket.end('PR');
  expect(await text(socket)).toBe('');
});
