// Who gets a tunnel, and what one may carry: against sockets that stand for a host; the real machine is in
// host/box/box.vm.test.ts.
import { createServer, type Server, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { TUNNEL_PROTOCOL, TUNNEL_TOKEN_SECONDS } from '#contract/identity/dev-box.ts';
import { openSshKeys } from '#contract/crypto/openssh.ts';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { sweepDevBoxes } from '#core/identity/dev-box/sweep.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { cites, verifies } from '#test/spec/verifies.ts';
import type { BoxRuntime, BoxStatus } from '#drivers/box/port.ts';
import { createLogger } from './http/log.ts';
import { createApiServer } from './server.ts';
import { createTunnels, type TunnelLimits } from './tunnel.ts';

let world: World;
let name: string;
let folder: string;
let box: Server;
/** Of each connection to the box, what came. */
const greetings: string[] = [];
const sockets = new Set<Socket>();
const seen = { opened: [] as string[], seeded: [] as [string, number][], removed: [] as string[] };
const statuses = new Map<string, BoxStatus>();

const boxes: BoxRuntime = {
  open: async ({ box_id, host_key }) => {
    expect(host_key).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    seen.opened.push(box_id);
    const status: BoxStatus = statuses.get(box_id) ?? { box_id, state: 'running', seeded: false, connections: 0, last_used_at: Date.now() };
    statuses.set(box_id, status);
    return status;
  },
  list: async () => [...statuses.values()],
  seed: async (box_id, agent, bundle) => {
    seen.seeded.push([agent, (await buffer(Readable.from(bundle))).length]);
    const status = statuses.get(box_id);
    if (status) statuses.set(box_id, { ...status, seeded: true });
  },
  sleep: async () => undefined,
  stop: async () => undefined,
  remove: async (id) => {
    seen.removed.push(id);
    statuses.delete(id);
  },
  address: () => ({ unix: join(folder, 'ssh.sock') }),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tunnel-'));
  // It says back what it hears after the first line.
  box = createServer((socket) => {
    sockets.add(socket);
    let head = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        if (head.endsWith('\n')) return void socket.write(chunk);
        const text = chunk.toString('latin1');
        const end = text.indexOf('\n') + 1;
        head += text.slice(0, end === 0 ? undefined : end);
        if (end === 0) return;
        greetings.push(head);
        if (end < text.length) socket.write(chunk.subarray(end));
      });
  });
  await new Promise<void>((resolve) => box.listen(join(folder, 'ssh.sock'), resolve));
  world = await createWorld();
  world.ctx.drivers.boxes = boxes;
  name = world.records['name'] ?? '';
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  box.close();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const key = (): string => openSshKeys(generateKeyPairSync('ed25519')).public;
const ask = (who: 'ada' | 'ben' = 'ada', public_key = key()) => world.as(who).agents.ssh({ params: { name }, body: { public_key } });

/** An API with these limits. */
async function tunnels(limits: Partial<TunnelLimits> = {}) {
  const upgrades = [createTunnels({ ctx: world.ctx, ownerOf: hostOwner(world.ctx.config), log: createLogger('silent'), limits })];
  const server = createApiServer({ api: (_request, response) => response.end(), upgrades, stopping: new AbortController() });
  const url = (await server.listen(0, '127.0.0.1')).replace('http', 'ws');
  return { close: () => server.close(), open: (token?: string, path = `/v1/agents/${name}/ssh/tunnel`) => opening(`${url}${path}`, token) };
}
async function opening(url: string, token?: string): Promise<{ status: number; socket: WebSocket }> {
  const socket = new WebSocket(url, TUNNEL_PROTOCOL, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  socket.on('error', () => undefined);
  const status = await new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('close', () => resolve(0));
  });
  return { status, socket };
}
const closed = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once('close', (code) => resolve(code)));

verifies(
  'agents.ssh',
  'a box of its own for the owner, with one host key; the token is kept hashed and the key of each request is the one its tunnel takes',
  async () => {
    const mine = key();
    const first = await ask('ada', `${mine} a comment`);
    const second = await ask();
    expect(first).toMatchObject({ user: 'agent', folder: `/home/agent/${name}`, protocol: TUNNEL_PROTOCOL, web_url: `http://${name}--dev.localhost:8080` });
    expect(first.url).toBe(`ws://localhost:8080/v1/agents/${name}/ssh/tunnel`);
    expect(second.host_key).toBe(first.host_key);
    expect(second.access_token).not.toBe(first.access_token);
    expect(Date.parse(first.expires_at) - Date.now()).toBeLessThanOrEqual(TUNNEL_TOKEN_SECONDS * 1000);
    const kept = JSON.stringify([await world.ctx.db('dev_box_sessions'), await world.ctx.db('dev_boxes'), await world.ctx.db('audit_log'), world.logs]);
    for (const secret of [first.access_token, 'OPENSSH PRIVATE']) expect(kept).not.toContain(secret);
    const api = await tunnels();
    const { socket } = await api.open(first.access_token);
    const bytes = randomBytes(3_000_000);
    const back: Buffer[] = [];
    const whole = new Promise<void>((resolve) =>
      socket.on('message', (data: Buffer) => (back.push(data), back.reduce((sum, one) => sum + one.length, 0) === bytes.length && resolve())),
    );
    for (let at = 0; at < bytes.length; at += 300_000) socket.send(bytes.subarray(at, at + 300_000));
    await whole;
    expect(Buffer.concat(back).equals(bytes)).toBe(true);
    expect(JSON.parse(greetings.at(-1) ?? '')).toMatchObject({ key: mine, session: expect.stringMatching(/^box_[a-z0-9_]+$/) });
    expect(seen.seeded).toEqual([[name, 0]]);
    socket.close();
    await api.close();
  },
);

test(
  'another tenant, no token, a foreign, expired or revoked one, another agent, the address, a plain request: refused alike',
  cites('agents.ssh'),
  async () => {
    await expect(ask('ben')).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
    const { access_token } = await ask();
    const api = await tunnels();
    expect((await api.open()).status).toBe(401);
    for (const token of [world.tokens.ada, `svc_box_${'a'.repeat(43)}`, `${access_token}x`]) expect((await api.open(token)).status, token).toBe(401);
    expect((await api.open(access_token, '/v1/agents/another/ssh/tunnel')).status).toBe(401);
    expect((await api.open(undefined, `/v1/agents/${name}/ssh/tunnel?access_token=${access_token}`)).status).toBe(404);
    expect((await api.open(access_token)).status).toBe(101);
    await world.ctx.db('dev_box_sessions').update({ expires_at: new Date(Date.now() - 1) });
    expect((await api.open(access_token)).status).toBe(401);
    const suspended = await ask();
    const [opened] = await world.ctx.db('dev_boxes').select('owner_id');
    const owner_id = opened?.owner_id ?? '';
    await world.ctx.db('control_policies').insert({
      user_id: owner_id,
      suspended: true,
      may_deploy: true,
      may_publish: true,
      may_call_external: true,
      limits: '{}',
      reason: 'a test',
      version: 1,
      updated_by: owner_id,
    });
    expect((await api.open(suspended.access_token)).status).toBe(401);
    await world.ctx.db('control_policies').where({ user_id: owner_id }).delete();
    await api.close();
  },
);

test('what is no public key is refused before anything else sees it', cites('agents.ssh'), async () => {
  const good = key();
  const forged = [
    'hello',
    'ssh-ed25519',
    `ssh-rsa ${good.split(' ')[1]}`,
    `command="id" ${good}`,
    good.replace('ssh-ed25519 AAAA', 'ssh-ed25519 BBBB'),
    `${good.slice(0, -8)}`,
    `ssh-dss ${good.split(' ')[1]}`,
    `${good.split(' ')[0]} ${good.split(' ')[1]}\nssh-ed25519 AAAA`.replace(' AAAA', '\nAAAA'),
  ];
  for (const line of forged) await expect(ask('ada', line), line).rejects.toMatchObject({ status: 400, code: 'public_key_invalid' });
});

test('a tunnel has limits of bytes and silence, a box of connections, and a token dies after a burst of them', async () => {
  const api = await tunnels({ bytes: 1_000, connections: 2, idleMs: 400 });
  const { access_token } = await ask();
  const [one, two] = [await api.open(access_token), await api.open(access_token)];
  expect((await api.open(access_token)).status).toBe(429);
  one.socket.send(randomBytes(2_000));
  expect(await closed(one.socket)).toBe(1008);
  expect(await closed(two.socket)).toBe(1001);
  await expect.poll(async () => (await api.open(access_token)).status).toBe(101);
  await api.close();
});

test('a host that cannot start the box says why at the tunnel', async () => {
  const { access_token } = await ask();
  world.ctx.drivers.boxes = { ...boxes, open: () => Promise.reject(new Error('secret detail')) };
  const api = await tunnels();
  const { socket } = await api.open(access_token);
  const [code, reason] = await new Promise<[number, string]>((resolve) => socket.once('close', (status, why) => resolve([status, why.toString()])));
  expect([code, reason]).toEqual([1011, 'The dev box could not be reached; try again in a moment.']);
  world.ctx.drivers.boxes = boxes;
  await api.close();
});

test('the sweep removes the boxes of deleted agents and those that no row knows, and leaves others', async () => {
  statuses.set('box_stray', { box_id: 'box_stray', state: 'stopped', seeded: true, connections: 0, last_used_at: 0 });
  await sweepDevBoxes(world.ctx);
  expect(seen.removed).toEqual(['box_stray']);
  const [opened] = await world.ctx.db('dev_boxes').select('box_id');
  const box_id = opened?.box_id ?? '';
  expect(await world.ctx.db('dev_boxes').where({ box_id }).first('state')).toMatchObject({ state: 'running' });
  await world.as('ada').agents.delete({ params: { name } });
  await sweepDevBoxes(world.ctx);
  expect(seen.removed).toEqual(['box_stray', box_id]);
  expect(await world.ctx.db('dev_boxes')).toEqual([]);
  expect(await world.ctx.db('dev_box_sessions')).toEqual([]);
});
