// Certificates of custom domains, step by step, with an authority of the test's own and a real name server.
import type { Knex } from 'knex';
import { randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPool } from '#db/pool.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { issue, testAuthority, type TestAuthority } from '#test/support/authority.ts';
import { activeDomain, domainNames, type DomainNames, domainTenant, HERE } from '#test/support/custom-domains.ts';
import type { TestDns } from '#test/support/dns.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { TestAgent } from '#test/support/verbs.ts';
import { certificateStep, DAY_MS } from './certificate.ts';
import { challengeAnswer } from './challenge.ts';
import { listDomains } from './list.ts';
import { renewAt } from './renewal.ts';
import { certificateKeyContext, servingCertificate } from './resolve-host.ts';

let db: Knex;
let names: DomainNames;
let dns: TestDns;
let authority: TestAuthority;
let ctx: Ctx;
let agent: TestAgent;
let now: number;
let host: string;
let domainId: string;
let count = 0;
const vault = createVault([randomBytes(32)]);

beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  names = await domainNames();
  ({ dns } = names);
});
afterAll(async () => {
  await dns.close();
  await db.destroy();
});
beforeEach(async () => {
  now = Date.now();
  dns.set('CAA', 'example.org');
  authority = testAuthority();
  ({ ctx, agent } = await domainTenant(db, names, { name: 'ada', vault, certificates: authority, clock: () => now }));
  domainId = await active((host = `cert-${(count += 1)}.example.org`));
});

async function active(hostname: string): Promise<string> {
  if (!hostname.startsWith('*.')) dns.set('A', hostname, HERE);
  return activeDomain(db, agent.id, hostname);
}

/** Steps until one is to wait for longer than a moment; how long that is. */
async function stepUntilWait(id = domainId): Promise<number | null> {
  for (let steps = 0; steps < 20; steps += 1) {
    const wait = await certificateStep(ctx, id);
    if (wait === null || wait > 5_000) return wait;
  }
  throw new Error('it does not settle');
}
const certificates = () => db('domain_certificates').where({ domain_id: domainId }).orderBy('created_at');
const shown = async () => (await listDomains(ctx, { name: agent.name })).find(({ hostname }) => hostname === host);

test('a domain that leads here gets its certificate by one order, and its key is kept sealed', async () => {
  authority.accepts = async ({ hostname }) => (await challengeAnswer(db, hostname, 'tok_1')) === 'tok_1.thumb';
  expect(await stepUntilWait()).toBe(DAY_MS);
  expect(authority.calls.filter((call) => call.startsWith('open'))).toEqual([`open ${host}`]);
  const [row] = await certificates();
  expect(row).toMatchObject({ state: 'issued', challenge: null, challenge_token: null });
  const key = Buffer.from(await ctx.drivers.vault.open(row?.key_sealed ?? '', certificateKeyContext(row?.certificate_id ?? ''))).toString();
  expect(key).toContain('PRIVATE KEY');
  expect(JSON.stringify([await db('domain_certificates'), await db('acme_accounts'), await db('audit_log'), await shown()])).not.toContain('PRIVATE KEY');
  expect(await servingCertificate(ctx, host)).toMatchObject({ key, chain: row?.chain });
  expect(await shown()).toMatchObject({ url: `https://${host}`, certificate: { state: 'issued', problem: null, not_after: row?.not_after?.toISOString() } });
});

test.each(['open', 'look', 'answer', 'finalize', 'download'])('a process that dies after "%s" leaves no second order', async (call) => {
  authority.failNext = { call, when: 'after' };
  await expect(stepUntilWait()).rejects.toThrow('killed');
  if (call === 'open') return expect(await stepUntilWait()).toBe(DAY_MS);
  expect(await stepUntilWait()).toBe(DAY_MS);
  expect(authority.calls.filter((one) => one.startsWith('open'))).toHaveLength(1);
  expect(await certificates()).toMatchObject([{ state: 'issued' }]);
});

test('steps that come twice at once place one order', async () => {
  await Promise.all(Array.from({ length: 5 }, () => certificateStep(ctx, domainId)));
  expect(await certificates()).toHaveLength(1);
  await stepUntilWait();
  expect(await certificates()).toMatchObject([{ state: 'issued' }]);
});

test('a domain that leads elsewhere asks for none, and says where it leads', async () => {
  dns.set('A', host, '198.51.100.9');
  expect(await stepUntilWait()).toBe(5 * 60_000);
  expect(authority.calls).toEqual([]);
  expect(await shown()).toMatchObject({ certificate: { not_after: null, problem: expect.stringContaining('198.51.100.9') } });
  dns.set('A', host, HERE);
  expect(await stepUntilWait()).toBe(DAY_MS);
  expect(await shown()).toMatchObject({ certificate: { problem: null } });
});

test('CAA records that name another authority are said, the nearest name decides', async () => {
  dns.set('CAA', 'example.org', 'other.test');
  expect(await stepUntilWait()).toBe(5 * 60_000);
  expect((await shown())?.certificate?.problem).toMatch(/CAA records of example\.org .* ca\.test/);
  dns.set('CAA', host, 'ca.test');
  expect(await stepUntilWait()).toBe(DAY_MS);
});

test('a wildcard waits for the record that its owner sets, and shows it', async () => {
  host = `*.${host}`;
  domainId = await active(host);
  const name = `_acme-challenge.${host.slice(2)}`;
  expect(await stepUntilWait()).toBe(30_000);
  expect((await shown())?.records.at(-1)).toEqual({ purpose: 'certificate', type: 'TXT', name, value: 'tok_1.thumb', state: 'missing', seen: [] });
  dns.set('TXT', name, 'something else');
  await stepUntilWait();
  expect((await shown())?.records.at(-1)).toMatchObject({ state: 'different', seen: ['something else'] });
  expect(authority.calls.filter((call) => call.startsWith('answer'))).toEqual([]);
  // An alias leads to where the record is kept.
  dns.set('CNAME', name, 'acme.elsewhere.example.net');
  dns.set('TXT', 'acme.elsewhere.example.net', 'tok_1.thumb');
  expect(await stepUntilWait()).toBe(DAY_MS);
  expect((await shown())?.records).toHaveLength(2);
  expect(new X509Certificate((await servingCertificate(ctx, `a.${host.slice(2)}`))?.chain ?? '').subjectAltName).toBe(`DNS:${host}`);
});

test('at two thirds of its life the next is fetched, and the old one is served until then', async () => {
  await stepUntilWait();
  const [first] = await certificates();
  // Its certificates begin now, whatever time the test has come to.
  authority.days = 400;
  now = (first?.renew_at?.getTime() ?? 0) - 1;
  expect(await certificateStep(ctx, domainId)).toBe(1);
  expect(await certificates()).toHaveLength(1);
  now += 2;
  await certificateStep(ctx, domainId);
  expect((await servingCertificate(ctx, host))?.certificateId).toBe(first?.certificate_id);
  await stepUntilWait();
  const [old, next] = await certificates();
  expect([old?.state, old?.key_sealed, next?.state]).toEqual(['replaced', null, 'issued']);
  expect((await servingCertificate(ctx, host))?.certificateId).toBe(next?.certificate_id);
});

test('renewals are spread, never later than two thirds; an authority may ask for earlier', async () => {
  const times = [0, 0.5, 0.999].map((random) => renewAt({ from: 0, to: 90 * DAY_MS }, random) / DAY_MS);
  expect(times[0]).toBe(60);
  expect(times.at(-1)).toBeGreaterThan(55);
  await stepUntilWait();
  authority.window = { from: now - 2_000, to: now - 1_000 };
  await stepUntilWait().catch(() => undefined);
  expect((await certificates()).map(({ state }) => state)).toEqual(expect.arrayContaining(['replaced', 'issued']));
});

test('an order that fails says why; the next one comes soon, then ever later, as the authority allows', async () => {
  authority.accepts = async () => false;
  expect(await stepUntilWait()).toBe(60_000);
  expect((await shown())?.certificate).toMatchObject({ state: 'failed', problem: expect.stringContaining('nothing was found there') });
  expect((await certificates())[0]?.key_sealed).toBeNull();
  for (const [index, wait] of [60_000, 1_200_000, 3_600_000, 7_200_000].entries()) {
    now += wait / 2;
    expect(await stepUntilWait()).toBe(wait / 2);
    expect(await certificates()).toHaveLength(index + 1);
    now += wait / 2;
    await stepUntilWait();
    expect(await certificates()).toHaveLength(index + 2);
  }
});

test('what the authority issues for another name, another key, or as junk replaces nothing: the one before it is served on', async () => {
  await stepUntilWait();
  const [first] = await certificates();
  authority.days = 400;
  now = first?.renew_at?.getTime() ?? 0;
  const key = await authority.newKey();
  const faults = [
    [async () => issue('bank.example.org', key, 400), 'not for'],
    [async () => issue(host, key, 400), 'for another key'],
    [async () => 'x'.repeat(1_000), 'no certificate'],
  ] as const;
  for (const [chain, problem] of faults) {
    const made = await chain();
    authority.download = async () => made;
    expect(await stepUntilWait()).toBe(60_000);
    expect((await shown())?.certificate?.problem).toContain(problem);
    expect((await servingCertificate(ctx, host))?.certificateId).toBe(first?.certificate_id);
    now += DAY_MS;
  }
});

test('an authority that is away is asked again later, and nothing of the network is said', async () => {
  authority.failNext = { call: 'open', when: 'before' };
  expect(await stepUntilWait()).toBe(600_000);
  expect((await shown())?.certificate?.problem).toContain('it is tired');
  expect(await stepUntilWait()).toBe(DAY_MS);
});

test('one that was not reached is asked again in a minute', async () => {
  authority.failNext = { call: 'open', when: 'before', away: true };
  expect(await stepUntilWait()).toBe(60_000);
  expect((await shown())?.certificate?.problem).toBe('The certificate authority could not be reached');
  expect(await stepUntilWait()).toBe(DAY_MS);
});

test('an order that the authority does not know any more is given up, and another placed', async () => {
  await certificateStep(ctx, domainId);
  authority.orders.clear();
  expect(await stepUntilWait()).toBe(600_000);
  now += 2 * 3_600_000 + 1;
  expect(await stepUntilWait()).toBe(60_000);
  now += 60_001;
  expect(await stepUntilWait()).toBe(DAY_MS);
  expect((await certificates()).map(({ state }) => state)).toEqual(['failed', 'issued']);
});

test('a suspended domain renews nothing', async () => {
  await db('agent_domains').where({ domain_id: domainId }).update({ state: 'suspended' });
  expect(await stepUntilWait()).toBe(DAY_MS);
  expect(authority.calls).toEqual([]);
});

test('with the domain go its certificates: revoked, those that were replaced too', async () => {
  await stepUntilWait();
  authority.days = 400;
  now = (await certificates())[0]?.renew_at?.getTime() ?? 0;
  await stepUntilWait();
  now -= 59 * DAY_MS;
  await db('agent_domains').where({ domain_id: domainId }).update({ state: 'removed' });
  authority.failNext = { call: 'revoke', when: 'before' };
  expect(await stepUntilWait()).toBe(3_600_000);
  expect(await stepUntilWait()).toBeNull();
  expect(authority.revoked).toHaveLength(2);
  expect([await certificates(), await db('agent_domains').where({ domain_id: domainId })]).toEqual([[], []]);
  expect(await stepUntilWait()).toBeNull();
});
