import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OpenConnections } from './open-connections.ts';
import type { Verdict } from './questions.ts';

const place = { host: 'api.example.test', port: 443 };

async function openSocket(): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // Safe: a server that listens on a port has such an address.
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  return socket;
}

function watched(ask: (target: { host: string }) => Promise<Verdict>) {
  const refusals: string[] = [];
  const connections = new OpenConnections({ ask, askAgainMs: 5, onRefusal: (line) => refusals.push(line) });
  onTestFinished(() => connections.close());
  return { connections, refusals };
}

test('of two connections to a place, one ends; when the place is no longer allowed, so does the other', async () => {
  const ask = vi.fn(async (): Promise<Verdict> => ({ allowed: true }));
  const { connections, refusals } = watched(ask);
  const [first, second] = [await openSocket(), await openSocket()];
  connections.add(first, place);
  connections.add(second, place);
  first.destroy();
  await once(first, 'close');
  const before = ask.mock.calls.length;
  await vi.waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(before + 1));
  expect(second.destroyed).toBe(false);
  ask.mockResolvedValue({ allowed: false, reason: 'its owner took it back' });
  await once(second, 'close');
  expect(refusals).toEqual(['egress: what was open to api.example.test:443 was ended: its owner took it back']);
});

test('nothing is asked about a place to which nothing is open', async () => {
  const other = { host: 'other.example.test', port: 443 };
  const asked: string[] = [];
  const { connections } = watched(async ({ host }) => {
    asked.push(host);
    return { allowed: true };
  });
  const [gone, open] = [await openSocket(), await openSocket()];
  connections.add(gone, place);
  connections.add(open, other);
  await vi.waitFor(() => expect(asked).toContain(place.host));
  gone.destroy();
  await once(gone, 'close');
  asked.length = 0;
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(2));
  // The round that was under way may have asked before.
  expect(asked.slice(2)).not.toContain(place.host);
});
