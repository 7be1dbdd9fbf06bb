// Domains of organizations, by records of a real name server.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dnsResolver } from '#drivers/dns/resolver.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { testDns, type TestDns } from '#test/support/dns.ts';
import { testOrganization, type TestOrganization } from '../test/organization.ts';
import { claimDomain, listOrganizationDomains, releaseDomain } from './domains.ts';
import { recheckDomains, verifyOrganizationDomain } from './verify.ts';

let t: TestContext;
let dns: TestDns;
let acme: TestOrganization;
let other: TestOrganization;
let domain: string;
let now: number;
let count = 0;

beforeAll(async () => {
  [t, dns] = await Promise.all([testContext(), testDns()]);
  t.ctx.drivers.dns = dnsResolver({ servers: [dns.address], timeoutMs: 1_000 });
  [acme, other] = [await testOrganization(t), await testOrganization(t)];
});
afterAll(async () => {
  await dns.close();
  await t.close();
});
beforeEach(() => {
  now = Date.now();
  dns.fail(false);
  domain = `claimed-${(count += 1)}.example.org`;
});

const as = (of: TestOrganization): TestUser => ({ ...of.owner, drivers: t.ctx.drivers, clock: () => now });
const claim = (of: TestOrganization) => claimDomain(as(of), { slug: of.slug, domain });
const verify = (of: TestOrganization) => verifyOrganizationDomain(as(of), { slug: of.slug, domain });
const stateOf = async (of: TestOrganization) => (await listOrganizationDomains(as(of), { slug: of.slug })).items.find((one) => one.domain === domain)?.state;
const dayLater = async () => {
  now += 86_400_001;
  await recheckDomains({ ...t.ctx, clock: () => now });
};

test(
  'the record proves it, to the organization that it names',
  cites('organizations.domains', 'organizations.addDomain', 'organizations.verifyDomain'),
  async () => {
    const { record } = await claim(acme);
    expect(record.name).toBe(`_svc-organization.${domain}`);
    expect(await verify(acme)).toMatchObject({ state: 'pending', problem: expect.stringContaining('There is no TXT record') });
    const theirs = await claim(other);
    dns.set('TXT', record.name, theirs.record.value, 'something else');
    expect(await verify(acme)).toMatchObject({ state: 'pending', problem: expect.stringContaining('another value') });
    dns.set('TXT', record.name, record.value);
    expect(await verify(acme)).toMatchObject({ state: 'verified', problem: null });
    expect(await verify(other)).toMatchObject({ state: 'pending' });
  },
);

test('one organization has it while its record is there, whoever verifies at the same time', async () => {
  const [mine, theirs] = [await claim(acme), await claim(other)];
  dns.set('TXT', mine.record.name, mine.record.value, theirs.record.value);
  const tries = await Promise.allSettled([verify(acme), verify(other), verify(acme), verify(other)]);
  expect(tries.some(({ status }) => status === 'rejected')).toBe(true);
  expect([await stateOf(acme), await stateOf(other)].toSorted()).toEqual(['pending', 'verified']);
  const [holder, second] = (await stateOf(acme)) === 'verified' ? [acme, other] : [other, acme];
  await expect(verify(second)).rejects.toMatchObject({ code: 'organization_domain_taken' });
  dns.set('TXT', mine.record.name, second === acme ? mine.record.value : theirs.record.value);
  expect(await verify(second)).toMatchObject({ state: 'verified' });
  expect(await stateOf(holder)).toBe('lapsed');
  const rows = await t.ctx.db('audit_log').where({ action: 'organization.domain_lapsed', organization_id: holder.id });
  expect(rows).toMatchObject([{ actor_kind: 'platform' }]);
});

test('it lapses when two daily looks do not find the record; a silent name server counts for nothing', async () => {
  const { record } = await claim(acme);
  dns.set('TXT', record.name, record.value);
  await verify(acme);
  await dayLater();
  dns.set('TXT', record.name);
  dns.fail(true);
  for (const _ of [1, 2, 3]) await dayLater();
  expect(await stateOf(acme)).toBe('verified');
  dns.fail(false);
  await dayLater();
  expect(await stateOf(acme)).toBe('verified');
  await dayLater();
  expect(await stateOf(acme)).toBe('lapsed');
  dns.set('TXT', record.name, record.value);
  await dayLater();
  expect(await stateOf(acme)).toBe('verified');
});

test('name servers that do not answer are said to', async () => {
  await claim(acme);
  dns.fail(true);
  await expect(verify(acme)).rejects.toMatchObject({ code: 'organization_domain_unanswered' });
});

test.each(['localhost', '*.example.org', '10.0.0.1', 'com', 'a b.example'])('%s is no domain', async (given) => {
  await expect(claimDomain(as(acme), { slug: acme.slug, domain: given })).rejects.toMatchObject({ code: expect.stringMatching(/hostname_/) });
});

test('who gives it up has it no more', cites('organizations.removeDomain'), async () => {
  const { record } = await claim(acme);
  dns.set('TXT', record.name, record.value);
  await verify(acme);
  await releaseDomain(as(acme), { slug: acme.slug, domain });
  expect(await stateOf(acme)).toBeUndefined();
  await expect(verify(acme)).rejects.toMatchObject({ code: 'organization_domain_not_found' });
});
