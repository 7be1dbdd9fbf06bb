import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AgentAddress, requestTo } from '#drivers/agent-http/address.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import type { InstanceTier, StartInput } from '#drivers/runtime/port.ts';
import { callAgent, invoke, proberSource, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from './test/support.ts';
import { ticksThroughSleep } from './test/ticks.ts';
import { tlsService } from '#test/support/tls.ts';

// The host with real machines: what happens to agents when things go wrong around them, and to others when
// they go wrong themselves.
const asPlatform = { authorization: 'Bearer the-api-key', 'content-type': 'application/json' };
const never = new AbortController().signal;
let host: TestHost;
let image = '';
const plane = createServer((req, res) => void res.end(`plane ${req.url} ${req.headers.host} ${req.headers['x-svc-guest']}`));

let orders: Awaited<ReturnType<typeof tlsService>> | undefined;

beforeAll(async () => {
  await new Promise<void>((resolve) => plane.listen(0, '127.0.0.1', resolve));
  const port = (plane.address() as AddressInfo).port;
  orders = await tlsService('orders', (req, res) => void res.end(`order ${req.url}`));
  const internal = { SVC_INTERNAL_SERVICES: JSON.stringify({ orders: `127.0.0.1:${orders.port}` }), NODE_EXTRA_CA_CERTS: orders.caFile };
  host = await testHost({
    ...internal,
    SVC_CONTROL_PLANE_URL: `http://localhost:${port}`,
    SVC_AGENTS_DOMAIN: `localhost:${port}`,
    SVC_CONTROL_PLANE_ADDRESS: `127.0.0.1:${port}`,
    SVC_PAUSE_AFTER_SECONDS: '3',
    SVC_SUSPEND_AFTER_SECONDS: '6',
    SVC_MEMORY_BUDGET_MIB: '1400',
  });
  const source = proberSource();
  image = (
    await host.runtime.build({ build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:Prober' }, () => undefined, never)
  ).image;
});
afterAll(async () => {
  plane.close();
  await host.end();
  await orders?.close();
});

async function started(change: Partial<StartInput> = {}): Promise<string> {
  const input = startInput(image, change);
  await host.runtime.start(input, () => undefined, never);
  return input.instance_id;
}
const call = (id: string, skill: string, args: unknown = {}) => invoke(host.runtime, id, skill, args);
const tierOf = async (id: string): Promise<InstanceTier | undefined> => (await host.runtime.instances()).find((one) => one.instance_id === id)?.tier;
const reaches = (id: string, tier: InstanceTier) => vi.waitFor(async () => expect(await tierOf(id)).toBe(tier), { timeout: 90_000, interval: 100 });

describe('one agent', () => {
  let id = '';
  const deployment_id = uniqueId('d');
  beforeAll(async () => void (id = await started({ deployment_id, egress: { allow_hosts: ['rebind.invalid'], allow_internal_services: [] } })));
  afterAll(() => host.runtime.stop(id));

  test('runs unprivileged and finds no way out but the proxy', async () => {
    expect((await call(id, 'reveal')).body).toMatchObject({ uid: 1000 });
    const port = (plane.address() as AddressInfo).port;
    expect((await call(id, 'fetch', { url: `http://localhost:${port}/run/v1/x` })).body).toEqual({
      status: 200,
      text: `plane /run/v1/x localhost:${port} ${id}`,
    });
    for (const path of ['/v1/agents', '/idp/token', '/docs']) {
      expect((await call(id, 'fetch', { url: `http://localhost:${port}${path}` })).body, path).toMatchObject({ status: 403 });
    }
    // Another agent's host is reached in its name.
    expect((await call(id, 'fetch', { url: `http://shop.localhost:${port}/healthz` })).body).toEqual({
      status: 200,
      text: `plane /healthz shop.localhost:${port} ${id}`,
    });
    // Unknown names, and other spellings of this machine, are not reached.
    const raw = async (connectTo: string, inside: string) =>
      (await call(id, 'tunnel', { to: `${connectTo}:${port}`, request: `${inside}\r\nConnection: close\r\n\r\n` })).body;
    for (const name of [
      'a.b.localhost',
      'a_b.localhost',
      '-a.localhost',
      'localhost.evil',
      '127.1',
      '2130706433',
      '0x7f000001',
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ])
      expect(await raw(name, `POST /idp/token HTTP/1.1\r\nHost: localhost:${port}`), name).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw('localhost.', `GET /idp/auth HTTP/1.1\r\nHost: localhost:${port}`)).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 403 /);
    // In a tunnel to an agent, another Host is still that agent's; what it says of where it comes from is not
    // passed on.
    expect(await raw('shop.localhost', `POST /idp/token HTTP/1.1\r\nHost: localhost:${port}\r\nX-Svc-Guest: ins_other`)).toContain(
      `plane /idp/token shop.localhost:${port} ${id}`,
    );
    const remedies = {
      'elsewhere.test': 'add "elsewhere.test" to egress.allow_hosts',
      '169.254.169.254': 'it is an internal address',
      '10.0.0.1': 'it is an internal address',
    };
    for (const [target, remedy] of Object.entries(remedies)) {
      expect((await call(id, 'fetch', { url: `https://${target}/` })).body).toMatchObject({ status: 0 });
      const refusals = (await host.runtime.logs(id)).filter((line) => line.stream === 'system' && line.text.includes(`${target}:443 is refused: ${remedy}`));
      expect(refusals).toHaveLength(1);
    }
    expect(await call(id, 'dial', { host: '1.1.1.1', port: 443 })).toMatchObject({ body: 'ENETUNREACH' });
    expect(await call(id, 'dial', { host: '127.0.0.1', port })).toMatchObject({ body: 'ECONNREFUSED' });
  });

  test('reaches an internal service it declared, by TLS under the host’s own authorities', async () => {
    const input = startInput(image, { egress: { allow_hosts: [], allow_internal_services: ['orders'] } });
    await host.runtime.start(input, () => undefined, never);
    expect((await call(input.instance_id, 'fetch', { url: 'https://orders/7' })).body).toEqual({ status: 200, text: 'order /7' });
    expect((await call(input.instance_id, 'get', { url: 'https://orders/8' })).body).toBe('order /8');
    await host.runtime.stop(input.instance_id);
    expect((await call(id, 'fetch', { url: 'https://orders/7' })).body).toMatchObject({ status: 0 });
  });

  test('is paused, then suspended when idle; never under a request; bytes on an open stream wake it', async () => {
    await reaches(id, 'suspended');
    const slow = call(id, 'wait', { ms: 5_000 });
    const tiers = new Set<InstanceTier | undefined>();
    const watching = setInterval(() => void tierOf(id).then((tier) => tiers.add(tier)), 200);
    expect((await slow).body).toBe('waited');
    clearInterval(watching);
    tiers.delete('suspended'); // before its wake was through
    expect([...tiers]).toEqual(['awake']);
  });

  test('sleeps after a caller that left before its answer; a connection without bytes wakes no agent', async () => {
    const address = host.runtime.address(id);
    const outgoing = requestTo(address, { path: '/invoke/wait', method: 'POST', headers: asPlatform, agent: false });
    outgoing.on('error', () => undefined).end(JSON.stringify({ ms: 4_000 }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    outgoing.destroy();
    await reaches(id, 'paused');
    const silent = connect(socketOf(address));
    await once(silent, 'connect');
    await reaches(id, 'suspended');
    silent.end();
    await once(silent.resume(), 'close');
    expect(await tierOf(id)).toBe('suspended');
  });

  test('sleeps while a run only waits for a person, whatever is open; the answer wakes it and the run goes on in place', async () => {
    const before = Number((await call(id, 'count')).body);
    const address = host.runtime.address(id);
    // An unanswered call, and a silent stream of the same run.
    const answered = callAgent(address, '/invoke/ask', {}, 'the-api-key', { 'x-svc-run-id': 'run_waits', 'x-svc-detached': '1' });
    const events = await eventsOf(address, 'run_waits');
    const question = await events.until(/qst_[\w-]+/);
    await reaches(id, 'suspended');
    expect((await callAgent(address, `/answers/${question}`, { answer: 'yes' })).body).toEqual({ resolved: true });
    expect((await answered).body).toEqual({ answer: 'yes', steps: 2, notes: 'before; after', squares: [1, 4, 9] });
    await events.until(/event: result/);
    expect((await call(id, 'count')).body).toBe(before + 1);
  });

  test('stays awake under a run without a user', async () => {
    const address = host.runtime.address(id);
    const outgoing = requestTo(address, {
      path: '/invoke/work',
      method: 'POST',
      headers: { ...asPlatform, 'x-svc-run-id': 'run_alone', 'x-svc-detached': '1', accept: 'text/event-stream' },
      agent: false,
    });
    outgoing.on('error', () => undefined).end(JSON.stringify({ ms: 9_000 }));
    await new Promise((resolve) => outgoing.once('response', resolve));
    outgoing.destroy();
    await vi.waitFor(async () => expect(await tierOf(id)).not.toBe('awake'), { timeout: 60_000, interval: 100 });
    expect((await host.runtime.logs(id, { limit: 10_000 })).map((line) => line.text)).toContain('worked to the end');
  });

  test('stays awake under one whose answer has begun, before it says that it is busy', async () => {
    const impatient = { SVC_PAUSE_AFTER_SECONDS: '0.1', SVC_PAUSE_WAITING_AFTER_SECONDS: '0.1' };
    await host.restart(impatient);
    const headers = { ...asPlatform, 'x-svc-run-id': 'run_begun', 'x-svc-detached': '1', accept: 'text/event-stream' };
    const worked = async (): Promise<number> =>
      (await host.runtime.logs(id, { limit: 10_000 })).filter((line) => line.text.endsWith('worked to the end')).length;
    const before = await worked();
    const outgoing = requestTo(host.runtime.address(id), { path: '/invoke/work', method: 'POST', headers, agent: false });
    outgoing.on('error', () => undefined).end(JSON.stringify({ ms: 3_000 }));
    const [response] = await once(outgoing, 'response');
    response.resume();
    await vi.waitFor(async () => expect(await worked()).toBe(before + 1), { timeout: 30_000, interval: 100 });
    outgoing.destroy();
    await host.restart({ SVC_PAUSE_AFTER_SECONDS: '3', SVC_PAUSE_WAITING_AFTER_SECONDS: '1' });
  });

  test('a stream goes on through pause, suspend and wake', async () => {
    const text = await ticksThroughSleep(host, id, { count: 5, ms: 300 });
    for (let n = 0; n < 5; n++) expect(text.split(`tick ${n}`)).toHaveLength(2);
    expect(text).toMatch(/event: result/);
  });

  test('when its process dies its last words are kept and the next request starts it again', async () => {
    const before = Number((await call(id, 'count')).body);
    expect(before).toBeGreaterThan(0);
    await call(id, 'die');
    await vi.waitFor(
      async () =>
        expect((await host.runtime.logs(id, { limit: 10_000 })).map((line) => line.text)).toEqual(
          expect.arrayContaining(['my last words', expect.stringContaining('ended with code 3')]),
        ),
      20_000,
    );
    await reaches(id, 'cold');
    expect((await call(id, 'count')).body).toBe(1);
  });

  test('an error’s stack names the author’s file and line', async () => {
    expect((await call(id, 'fail')).status).toBe(500);
    await vi.waitFor(
      async () =>
        expect((await host.runtime.logs(id, { limit: 10_000 })).some((line) => /broken on purpose/.test(line.text) && /agent\.ts:\d+/.test(line.text))).toBe(
          true,
        ),
      10_000,
    );
  });

  test('instances of one deployment share a snapshot but no random number; with other secrets it is removed, and what it held with it', async () => {
    const snapshots = (secret: string): Promise<string[]> =>
      readAll(host.stateDir, (path, _mode, bytes) => path.includes(`/template/${deployment_id}/`) && bytes.includes(secret));
    const sibling = await started({ deployment_id, api_key: 'the-api-key' });
    await host.runtime.sleep(id, 'cold'); // from the snapshot again
    const ids = await Promise.all([call(id, 'id'), call(sibling, 'id'), call(id, 'id'), call(sibling, 'id')]);
    expect(new Set(ids.map((one) => one.body)).size).toBe(4);
    await host.runtime.stop(sibling);
    expect(await snapshots('the-secret-value'), 'the test would see it').not.toEqual([]);
    const other = await started({ deployment_id, secrets: { TOKEN: 'another-secret' }, api_key: 'the-api-key' });
    expect((await call(other, 'reveal')).body).toMatchObject({ secret: 'another-secret' });
    expect(await snapshots('the-secret-value')).toEqual([]);
    await host.runtime.stop(other);
  });

  test('its secrets are in no log, in no file that others may read, and in none but those of its memory', async () => {
    await host.runtime.sleep(id, 'suspended');
    expect(await readAll(host.stateDir, (_path, mode, bytes) => (mode & 0o077) !== 0 && bytes.includes('the-secret-value'))).toEqual([]);
    expect(await readAll(host.stateDir, (path, _mode, bytes) => path.endsWith('.ndjson') && bytes.includes('the-secret-value'))).toEqual([]);
    const plain = await readAll(host.stateDir, (_path, _mode, bytes) => bytes.includes('the-secret-value'));
    expect(plain.filter((path) => !/\/(?:memory|state)[^/]*$/.test(path))).toEqual([]);
  });
});

describe('the host', () => {
  // Nothing falls asleep on its own here, however slow the machine is.
  beforeAll(() => host.restart({ SVC_PAUSE_AFTER_SECONDS: '300' }));

  test('killed and started again takes back running and suspended agents where they were', async () => {
    const [running, asleep] = [await started(), await started()];
    for (const id of [running, asleep]) expect((await call(id, 'count')).body).toBe(1);
    await host.runtime.sleep(asleep, 'suspended');
    // The process that waits for its wake is left behind; the next host ends it.
    await vi.waitFor(async () => expect(await processesIn(host.stateDir)).toHaveLength(2), 30_000);
    await host.kill();
    await expect(host.runtime.instances()).rejects.toMatchObject({ code: 'host_unreachable' });
    await host.restart();
    expect(['awake', 'paused']).toContain(await tierOf(running));
    expect(await tierOf(asleep)).toBe('suspended');
    expect(await processesIn(host.stateDir)).toHaveLength(1);
    for (const id of [running, asleep]) expect((await call(id, 'count')).body).toBe(2);
    await call(running, 'say', { text: 'heard after the restart' });
    await vi.waitFor(async () => expect((await host.runtime.logs(running)).some((line) => line.text === 'heard after the restart')).toBe(true), 10_000);
    await Promise.all([host.runtime.stop(running), host.runtime.stop(asleep)]);
  });

  test('killed in the middle of a start or a build leaves neither machine nor folder', async () => {
    const input = startInput(image);
    const start = host.runtime.start(input, () => undefined, never);
    start.catch(() => undefined);
    await vi.waitFor(async () => expect(await readdir(join(host.stateDir, 'vm', input.instance_id, 'machine'))).toContain('machine.json'), 20_000);
    await host.kill();
    await expect(start).rejects.toMatchObject({ code: 'host_unreachable' });
    await host.restart();
    expect(await host.runtime.instances()).toEqual([]);
    expect(await readdir(join(host.stateDir, 'vm'))).toEqual([]);
    await host.runtime.start(input, () => undefined, never);
    await host.runtime.stop(input.instance_id);
  });

  test('on a stop signal it suspends its agents, ends its builds and leaves no process', async () => {
    const id = await started();
    expect((await call(id, 'count')).body).toBe(1);
    const endless = new Readable({ read: () => undefined });
    const building = host.runtime.build(
      { build_id: uniqueId('b'), tenant: 'test', source: endless, language: 'typescript', entrypoint: 'agent:A' },
      () => undefined,
      never,
    );
    building.catch(() => undefined);
    await vi.waitFor(async () => expect(await processesIn(host.stateDir)).toHaveLength(2), 30_000);
    await host.stop();
    await expect(building).rejects.toMatchObject({ code: expect.stringMatching(/cancelled|host_unreachable/) });
    expect(await processesIn(host.stateDir)).toEqual([]);
    await host.restart();
    expect(await tierOf(id)).toBe('suspended');
    expect((await call(id, 'count')).body).toBe(2);
    await host.runtime.stop(id);
  });

  test('an agent that wants all disk, memory and processes does not affect others', async () => {
    const [bad, good] = [await started(), await started()];
    expect((await call(bad, 'fillDisk')).body).toBe('ENOSPC');
    await call(bad, 'forkBomb').catch(() => undefined);
    expect((await call(good, 'count')).body).toBe(1);
    await Promise.race([call(bad, 'hogMemory').catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 5_000))]);
    expect((await call(good, 'count')).body).toBe(2);
    await host.runtime.sleep(bad, 'cold');
    expect((await call(bad, 'count')).body).toBe(1);
    await Promise.all([host.runtime.stop(bad), host.runtime.stop(good)]);
  });

  test('memory is a budget: the least recently used agent gives way', async () => {
    const ids = [];
    for (let n = 0; n < 5; n++) {
      ids.push(await started({ resources: { memory_mib: 256, cpu_millis: 500 } }));
      const used = (await host.runtime.instances()).reduce((sum, one) => sum + one.memory_bytes, 0);
      expect(used).toBeLessThanOrEqual(1_400 * 1_048_576);
    }
    expect(await tierOf(ids[0] ?? '')).toBe('suspended');
    expect((await call(ids[0] ?? '', 'count')).body).toBe(1);
    await Promise.all(ids.map((id) => host.runtime.stop(id)));
  });
});

/** The events of a detached run, from its first. */
async function eventsOf(address: AgentAddress, runId: string): Promise<{ until(found: RegExp): Promise<string> }> {
  let text = '';
  const open = async (): Promise<void> => {
    const outgoing = requestTo(address, { path: `/runs/${runId}/events`, headers: asPlatform, agent: false }).end();
    const [incoming] = asResponse(await once(outgoing, 'response'));
    if (incoming.statusCode !== 200) throw new Error(`the run's events: ${incoming.statusCode}`);
    incoming.on('data', (chunk) => (text += String(chunk)));
  };
  await vi.waitFor(open, { timeout: 30_000, interval: 200 });
  const matched = (found: RegExp): string => {
    const [word] = found.exec(text) ?? [];
    if (word === undefined) throw new Error(`not among the events: ${text}`);
    return word;
  };
  return { until: (found) => vi.waitFor(() => matched(found), { timeout: 30_000, interval: 100 }) };
}

/** Node's event `response` carries exactly this. */
const asResponse = (args: unknown[]): [IncomingMessage] => args as [IncomingMessage];

/** Machines work in a folder of their own, which tells whose they are. */
async function processesIn(dir: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return folders.filter((folder) => folder.startsWith(dir));
}

async function readAll(dir: string, wrong: (path: string, mode: number, bytes: Buffer) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    if (wrong(path, (await stat(path)).mode, bytes)) found.push(path);
  }
  return found;
}
