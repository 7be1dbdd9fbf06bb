// The whole way of a client in a guest to its database, on real sockets: the guest's listener, the channel (a
// Unix socket here), the proxy, PostgreSQL.
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connected, made, type Made, refused } from '#drivers/databases/conformance.ts';
import { postgresServer } from '#drivers/databases/postgres.ts';
import type { BoundDatabase } from '#drivers/runtime/port.ts';
import { testDatabase } from '#test/support/servers.ts';
import { listenDatabases } from '../guest/database.ts';
import { createEgressProxy, type EgressProxy } from './proxy.ts';

let mine: Made;
let theirs: Made;
let folder: string;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  const server = postgresServer({ adminUrl: (await testDatabase()).url });
  [mine, theirs] = [await made(server), await made(server)];
  folder = await mkdtemp(join(tmpdir(), 'svc-gate-'));
});
afterAll(async () => {
  for (const one of open) one.close();
  await rm(folder, { recursive: true, force: true });
});

interface Guest {
  port: number;
  refusals: string[];
  proxy: EgressProxy;
  /** The URL as it is in the agent's environment. */
  url: (of: string) => string;
}

let guests = 0;
async function guest(databases: readonly BoundDatabase[]): Promise<Guest> {
  const refusals: string[] = [];
  const proxy = createEgressProxy({
    policy: { allowHosts: [], allowInternalServices: [] },
    configuration: { services: {} },
    databases,
    denyExternal: true,
    onRefusal: (line) => refusals.push(line),
  });
  const path = join(folder, `${(guests += 1)}.sock`);
  const channel = createServer({ allowHalfOpen: true }, (stream) => proxy.handle(stream)).listen(path);
  const listener = await listenDatabases(0, path);
  open.push(channel, listener, proxy);
  const { port } = listener.address() as AddressInfo;
  return { port, refusals, proxy, url: (of) => of.replace(/@[^/]+\//, `@127.0.0.1:${port}/`) };
}

const bound = (of: Made, access: 'owner' | 'read_only' = 'owner'): BoundDatabase => ({ ...of.server.endpoint, database: of.database, user: of.logins[access] });

it('brings an unmodified client to the database of its URL, where the account lets it reach nothing outside', async () => {
  const { url, refusals } = await guest([bound(mine)]);
  const client = await connected(url(mine.urls.owner));
  await client.query('create table rows as select generate_series(1, 20000) as id');
  const { rows } = await client.query('select id from rows order by id');
  expect([rows.length, rows.at(-1)]).toEqual([20_000, { id: 20_000 }]);
  await client.end();
  const pool = new pg.Pool({ connectionString: url(mine.urls.owner), max: 5 });
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map(async (n) => (await pool.query('select $1::int as n', [n])).rows[0]))).toEqual(
    [1, 2, 3, 4, 5, 6].map((n) => ({ n })),
  );
  await pool.end();
  expect(refusals).toEqual([]);
});

it('asks for TLS are answered with no, and a client that insists on it is refused on its own', async () => {
  const { url } = await guest([bound(mine)]);
  await expect(connected(`${url(mine.urls.owner)}?sslmode=require`)).rejects.toThrow(/SSL/);
  // As libpq does: GSS, then TLS, then without.
  const socket = connect((await guest([bound(mine)])).port, '127.0.0.1');
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 48]));
  expect(await firstOf(socket)).toBe('N');
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  expect(await firstOf(socket)).toBe('N');
  socket.destroy();
});

it('refuses another user, another database, and a guest without a binding', async () => {
  const { url, refusals } = await guest([bound(mine, 'read_only')]);
  expect(await refused(url(theirs.urls.owner), 'select 1')).toBe('28000');
  expect(await refused(url(mine.urls.owner), 'select 1')).toBe('28000');
  expect(await refused(url(mine.urls.read_only).replace(`/${mine.database}`, '/postgres'), 'select 1')).toBe('28000');
  expect(await refused(url(mine.urls.read_only).replace(/:[^:@/]+@/, ':wrong@'), 'select 1')).toBe('28P01');
  expect(await refused(url(mine.urls.read_only), 'select 1')).toBe('allowed');
  expect(refusals).toHaveLength(3);
  expect(refusals.join()).not.toContain('svcdb_');
  const none = await guest([]);
  await expect(connected(none.url(mine.urls.owner))).rejects.toThrow();
  expect(none.refusals).toHaveLength(1);
});

it('refuses replication, an old protocol, and two users in one packet', async () => {
  const { port } = await guest([bound(mine)]);
  const packets = {
    replication: start({ user: mine.logins.owner, database: mine.database, replication: 'database' }),
    protocol2: Buffer.from([0, 0, 0, 9, 0, 2, 0, 0, 0]),
    twice: packet(`user\0${mine.logins.owner}\0database\0${mine.database}\0user\0${theirs.logins.owner}\0\0`),
  };
  for (const [what, bytes] of Object.entries(packets)) expect([what, await said(port, bytes)]).toEqual([what, expect.stringMatching(/^E.*C(?:28000|08P01)/s)]);
});

it('ends what is no packet, is too long, or never comes', async () => {
  const { port, proxy } = await guest([bound(mine)]);
  for (const bytes of [Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0]), Buffer.from([0, 0, 0, 1]), Buffer.from('GET / HTTP/1.1\r\n\r\n')])
    expect(await said(port, bytes)).toBe('');
  const silent = connect(port, '127.0.0.1');
  await expect.poll(() => proxy.open, { timeout: 5_000 }).toBe(1);
  silent.destroy();
  await expect.poll(() => proxy.open, { timeout: 5_000 }).toBe(0);
});

it('cancels only the guest’s own statement', async () => {
  const one = await guest([bound(mine)]);
  const two = await guest([bound(theirs)]);
  const client = await connected(one.url(mine.urls.owner));
  const slow = client.query('select pg_sleep(60)').then(
    () => 'slept',
    (error: unknown) => (error instanceof pg.DatabaseError ? error.code : 'lost'),
  );
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const cancel = Buffer.alloc(16);
  cancel.writeInt32BE(16, 0);
  cancel.writeInt32BE(80_877_102, 4);
  cancel.writeInt32BE(processID, 8);
  cancel.writeInt32BE(secretKey, 12);
  await said(two.port, cancel);
  expect(await Promise.race([slow, new Promise((resolve) => setTimeout(() => resolve('goes on'), 300))])).toBe('goes on');
  await said(one.port, cancel);
  expect(await slow).toBe('57014');
  await client.end();
});

it('has a bound of connections, and says so as a server would', async () => {
  const { url } = await guest([bound(mine)]);
  const clients = await Promise.all(Array.from({ length: 10 }, () => connected(url(mine.urls.owner))));
  await expect(connected(url(mine.urls.owner))).rejects.toMatchObject({ code: '53300' });
  await Promise.all(clients.map((client) => client.end()));
});

it('believes a server that must speak TLS only with a certificate for its name', async () => {
  const plain = await fake((socket) => socket.once('data', () => socket.write('N')));
  const stranger = await fake((socket) => socket.once('data', () => socket.write('S')));
  for (const server of [plain, stranger]) {
    const { port } = server.address() as AddressInfo;
    const { url } = await guest([{ ...bound(mine), host: '127.0.0.1', port, tls: true }]);
    await expect(connected(url(mine.urls.owner))).rejects.toThrow(/does not answer|timeout|terminated/);
  }
});

async function fake(onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
    setTimeout(() => socket.destroy(), 1_000).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return server;
}

function packet(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}

function start(parameters: Record<string, string>): Buffer {
  return packet(
    `${Object.entries(parameters)
      .map(([name, value]) => `${name}\0${value}\0`)
      .join('')}\0`,
  );
}

async function firstOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1'))));
}

/** All that comes back, until the other side ends. */
async function said(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await new Promise((resolve) => socket.once('close', resolve).once('end', () => socket.destroy()));
  return text;
}
