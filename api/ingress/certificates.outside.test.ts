// Custom domains with a certificate authority of somebody else: Pebble in strict mode, which refuses a fifth
// of all nonces; openssl and curl as clients.
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect as tlsConnect } from 'node:tls';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { certificateStep } from '#core/agents/domain/certificate.ts';
import { domainChannel, domainChanged } from '#core/agents/domain/changed.ts';
import { listDomains } from '#core/agents/domain/list.ts';
import { removeDomain } from '#core/agents/domain/remove.ts';
import { certificateKeyContext, servingCertificate } from '#core/agents/domain/resolve-host.ts';
import { newId } from '#core/kernel/ids.ts';
import { startListener, type Listener } from '#core/jobs/wakeups.ts';
import { acmeAuthority } from '#drivers/certificates/acme.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { activeDomain, domainNames, type DomainNames } from '#test/support/custom-domains.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { TestDns } from '#test/support/dns.ts';
import { type Pebble, startPebble } from '#test/support/pebble.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { createLogger } from '../http/log.ts';
import { createApiServer, type ApiServer } from '../server.ts';
import { customDomains } from './custom-domains.ts';
import { createIngress } from './ingress.ts';

const run = promisify(execFile);
const log = createLogger('silent');
const pools = createAgentPools({ connections: 8, inFlight: 16, pools: 16, idleMs: 60_000, connectMs: 1_000 });

let t: TestContext;
let ada: TestUser;
let agent: TestAgent;
let names: DomainNames;
let dns: TestDns;
let pebble: Pebble;
let machine: Server;
let server: ApiServer;
let listener: Listener;
let tlsPort: number;

beforeAll(async () => {
  t = await testContext();
  names = await domainNames();
  ({ dns } = names);
  ada = await t.user('ada');
  agent = await addAgent(t.ctx.db, ada.actor.user_id);
  const socket = join(t.stateDir, 'agent.sock');
  machine = createServer((_request, response) => response.end('the agent'));
  await new Promise<void>((resolve) => machine.listen(socket, resolve));
  const config = Object.assign(t.ctx.config, { domains: { targets: ['127.0.0.1'], https: true } });
  const domains = customDomains(t.ctx, log);
  listener = await startListener(t.databaseUrl, [domainChannel]);
  listener.on(domainChannel, domains.changed);
  const ingress = createIngress({
    platform: { config, issuer: 'http://localhost:8080/idp' },
    network: { ownerOf: hostOwner(config), domains },
    resolve: async (agentName) => ({
      agentId: agent.id,
      agentName,
      ownerId: ada.actor.user_id,
      deployId: 'dep_1',
      version: '1.0.0',
      image: 'sha256:1',
      runtime: 'sha256:2',
      visibility: 'public',
      address: { unix: socket },
      apiKey: 'key',
      maxRuntimeMs: 1_000,
    }),
    admit: { authenticate: () => Promise.reject(new Error('nobody signs in here')), whileAllowed: () => () => undefined },
    call: { callAgent: () => Promise.reject(new Error('nothing is called here')), beginTask: async () => ({}) },
    pass: { pools },
    report: { log },
  });
  server = createApiServer({
    fronts: [ingress.front],
    contextOf: domains.context,
    api: (_request, response) => response.end('the api'),
    stopping: new AbortController(),
  });
  const httpPort = Number(new URL(await server.listen(0, '127.0.0.1')).port);
  tlsPort = await server.listenTls(0, '127.0.0.1');
  pebble = await startPebble({ httpPort, dns: dns.address, env: { PEBBLE_WFE_NONCEREJECT: '20' } });
  Object.assign(t.ctx.drivers, {
    certificates: await acmeAuthority({ directoryUrl: pebble.directoryUrl, contact: 'ops@example.org', caFile: pebble.caFile }),
    dns: names.resolver,
  });
});
afterAll(async () => {
  await pebble.stop();
  await server.close();
  await listener.close();
  await pools.close();
  machine.close();
  await t.close();
  await dns.close();
});

async function active(hostname: string): Promise<string> {
  const domain_id = await activeDomain(t.ctx.db, agent.id, hostname);
  await domainChanged(t.ctx.db, hostname);
  return domain_id;
}

/** As the workflow does it, with its pauses cut to half a second, until the next step is far away. */
async function settle(domainId: string): Promise<number | null> {
  for (let steps = 0; steps < 60; steps += 1) {
    const wait = await certificateStep(t.ctx, domainId);
    if (wait === null || wait > 30_000) return wait;
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 500)));
  }
  throw new Error(`it does not settle: ${JSON.stringify(await listDomains(ada, { name: agent.name }))}`);
}

const curl = async (host: string): Promise<string> =>
  (await run('curl', ['-sS', '--cacert', pebble.rootFile, '--resolve', `${host}:${tlsPort}:127.0.0.1`, `https://${host}:${tlsPort}/x`])).stdout;
const serialOf = async (host: string): Promise<string> => new X509Certificate((await servingCertificate(t.ctx, host))?.chain ?? '').serialNumber;

test('http-01: a certificate that curl and openssl trust, by one order, in seconds', async () => {
  const host = 'shop.example.org';
  dns.set('A', host, '127.0.0.1');
  const id = await active(host);
  const begun = performance.now();
  expect(await settle(id)).toBeGreaterThan(60_000);
  process.stdout.write(`http-01: ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
  expect(await curl(host)).toBe('the agent');
  const { stdout } = await run('sh', [
    '-c',
    `openssl s_client -connect 127.0.0.1:${tlsPort} -servername ${host} -CAfile ${pebble.rootFile} -verify_hostname ${host} -verify_return_error </dev/null 2>&1`,
  ]);
  expect(stdout).toContain('Verify return code: 0 (ok)');
  expect(await t.ctx.db('domain_certificates').where({ domain_id: id })).toHaveLength(1);
  expect(await t.ctx.db('acme_accounts')).toHaveLength(1);
});

test('TLS 1.2 and 1.3 are spoken, nothing older; another name gets no certificate', async () => {
  for (const [version, spoken] of [
    ['tls1_2', true],
    ['tls1_3', true],
    ['tls1_1', false],
    ['tls1', false],
  ] as const) {
    const tried = await run('sh', [
      '-c',
      `openssl s_client -connect 127.0.0.1:${tlsPort} -servername shop.example.org -${version} -cipher DEFAULT@SECLEVEL=0 </dev/null 2>&1 || true`,
    ]);
    expect(/Cipher is (?!\(NONE\))/.test(tried.stdout), version).toBe(spoken);
  }
  const other = await run('sh', ['-c', `openssl s_client -connect 127.0.0.1:${tlsPort} -servername nobody.example.org </dev/null 2>&1 || true`]);
  expect(other.stdout).toMatch(/handshake failure|unrecognized name/);
});

test('dns-01: a wildcard, once its owner has set the record', async () => {
  const host = '*.wild.example.org';
  const id = await active(host);
  for (let steps = 0; steps < 5; steps += 1) await certificateStep(t.ctx, id);
  const record = (await listDomains(ada, { name: agent.name })).find(({ hostname }) => hostname === host)?.records.at(-1);
  expect(record).toMatchObject({ purpose: 'certificate', name: '_acme-challenge.wild.example.org', state: 'missing' });
  // By an alias, as people do who let their tools set it.
  dns.set('CNAME', '_acme-challenge.wild.example.org', 'acme.tools.example.net');
  dns.set('TXT', 'acme.tools.example.net', record?.value ?? '');
  expect(await settle(id)).toBeGreaterThan(60_000);
  expect(await curl('any.wild.example.org')).toBe('the agent');
});

test('renewal: the old certificate is served until the new one is there', async () => {
  const host = 'shop.example.org';
  const id = (await t.ctx.db('agent_domains').where({ hostname: host }).first('domain_id'))?.domain_id ?? '';
  const before = await serialOf(host);
  await t.ctx
    .db('domain_certificates')
    .where({ domain_id: id, state: 'issued' })
    .update({ renew_at: new Date(0) });
  await certificateStep(t.ctx, id);
  expect([await serialOf(host), await curl(host)]).toEqual([before, 'the agent']);
  await settle(id);
  expect(await serialOf(host)).not.toBe(before);
  expect(await curl(host)).toBe('the agent');
});

test('the authority’s own word on renewals is followed', async () => {
  const chain = (await servingCertificate(t.ctx, 'shop.example.org'))?.chain ?? '';
  const window = await t.ctx.drivers.certificates?.renewalWindow(chain);
  const { validFrom, validTo } = new X509Certificate(chain);
  expect(window?.from).toBeGreaterThan(Date.parse(validFrom));
  expect(window?.to).toBeLessThan(Date.parse(validTo));
});

test('a name that leads nowhere the authority can reach fails with its words', async () => {
  const host = 'broken.example.org';
  dns.set('A', host, '127.0.0.1');
  const id = await active(host);
  await certificateStep(t.ctx, id);
  dns.set('A', host, '127.0.0.2');
  await settle(id);
  const shown = (await listDomains(ada, { name: agent.name })).find(({ hostname }) => hostname === host);
  expect(shown?.certificate).toMatchObject({ state: 'failed', problem: expect.stringMatching(/127\.0\.0\.2|connect|refused|acme-challenge/) });
});

test('removal revokes, all certificates of the domain', async () => {
  const id = (await t.ctx.db('agent_domains').where({ hostname: 'shop.example.org' }).first('domain_id'))?.domain_id ?? '';
  const chains = await t.ctx.db('domain_certificates').where({ domain_id: id }).whereNotNull('chain').pluck('chain');
  expect(chains).toHaveLength(2);
  await removeDomain(ada, { name: agent.name, hostname: 'shop.example.org' });
  await expect(curl('shop.example.org')).rejects.toThrow();
  expect(await settle(id)).toBeNull();
  for (const chain of chains) expect(await pebble.statusOf(new X509Certificate(chain ?? '').serialNumber)).toBe('Revoked');
});

test('a thousand names: a handshake takes as long as with ten', async () => {
  const chain = await servingCertificate(t.ctx, 'any.wild.example.org');
  expect(chain).toBeDefined();
  const names = Array.from({ length: 1_000 }, (_, n) => `n${n}.many.example.org`);
  const { stdout: key } = await run('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']);
  const file = join(t.stateDir, 'many.key');
  await writeFile(file, key);
  const { stdout: cert } = await run('openssl', [
    'req',
    '-x509',
    '-key',
    file,
    '-days',
    '2',
    '-subj',
    '/CN=test',
    '-addext',
    'subjectAltName=DNS:*.many.example.org',
  ]);
  for (const name of names) {
    const domain_id = await active(name);
    const certificate_id = newId('crt');
    const key_sealed = await t.ctx.drivers.vault.seal(Buffer.from(key), certificateKeyContext(certificate_id));
    await t.ctx.db('domain_certificates').insert({ certificate_id, domain_id, state: 'issued', key_sealed, chain: cert, renew_at: new Date(Date.now() + 1e9) });
  }
  const rate = async (some: string[]): Promise<number> => {
    for (const name of some) await shake(name);
    const begun = performance.now();
    for (let n = 0; n < 1_000; n += 1) await shake(some[n % some.length] ?? '');
    return (1_000 / (performance.now() - begun)) * 1_000;
  };
  const [few, many] = [await rate(names.slice(0, 10)), await rate(names)];
  process.stdout.write(`handshakes a second: ${few.toFixed(0)} with ten names, ${many.toFixed(0)} with a thousand\n`);
  expect(many).toBeGreaterThan(few / 1.5);
});

function shake(servername: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ host: '127.0.0.1', port: tlsPort, servername, rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
