// Connections when newer code takes the place of the one that they were handed to.
import { createServer, request, type Server } from 'node:http';
import { createServer as createTcp, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectionsOf } from './connections.ts';

let http: Server;
let port: number;
const front = createTcp({ pauseOnConnect: true }, (socket) => taken(socket));
let taken: (socket: Socket) => void = () => undefined;

beforeAll(async () => {
  http = createServer((_request, response) => response.end('answered'));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  ({ port } = front.address() as AddressInfo); // it listens on a port
});
afterAll(() => front.close());

async function connection(): Promise<Socket> {
  const here = connect(port, '127.0.0.1');
  await once(here, 'connect');
  return here;
}
const ask = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ createConnection: () => socket }, (response) => text(response).then(resolve, reject))
      .once('error', reject)
      .end();
  });

test('one whose first request is on the way is answered, then closed; one that was kept, and one that asks nothing, are closed', async () => {
  const connections = connectionsOf(http);
  let count = 0;
  const all = Promise.withResolvers<void>();
  taken = (socket) => {
    connections.add(socket);
    count += 1;
    if (count === 3) all.resolve();
  };
  const [fresh, kept, silent] = [await connection(), await connection(), await connection()];
  await all.promise;
  expect(await ask(kept)).toBe('answered');
  const closed = [kept, silent].map((socket) => once(socket.resume(), 'close'));
  const retired = connections.retire();
  expect(await ask(fresh)).toBe('answered');
  await Promise.all([...closed, fresh.closed ? undefined : once(fresh, 'close'), retired]);
});
