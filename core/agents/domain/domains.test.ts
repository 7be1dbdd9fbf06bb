// Custom domains on a real database, with a real name server.
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPool } from '#db/pool.ts';
import { deleteAgent } from '../agent/delete.ts';
import { domainNames, type DomainNames, type DomainTenant, domainTenant, HERE } from '#test/support/custom-domains.ts';
import type { TestDns } from '#test/support/dns.ts';
import { cites } from '#test/spec/verifies.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addDomain } from './add.ts';
import { listDomains } from './list.ts';
import { proveDomain } from './prove.ts';
import { removeDomain } from './remove.ts';
import { resolveHost } from './resolve-host.ts';
import { verifyDomain } from './verify.ts';

let db: Knex;
let names: DomainNames;
let dns: TestDns;
let now: number;
let ada: DomainTenant;
let bob: DomainTenant;

const workflows = {
  start: async () => undefined,
  signal: async () => undefined,
  update: async () => undefined,
  cancel: async () => undefined,
  describe: async () => 'absent' as const,
  brokenSince: async () => [],
  ping: async () => undefined,
  queue: async () => Promise.reject(new Error('nobody asks for it')),
  forget: async () => 0,
};

const tenant = (name: string) => domainTenant(db, names, { name, workflows, certificates: undefined, clock: () => now });

beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  names = await domainNames();
  ({ dns } = names);
});
afterAll(async () => {
  await dns.close();
  await db.destroy();
});
let host: string;
let count = 0;
beforeEach(async () => {
  now = Date.now();
  dns.fail(false);
  host = `shop-${(count += 1)}.example.org`;
  [ada, bob] = [await tenant('ada'), await tenant('bob')];
});

const add = (who: DomainTenant, hostname = host) => addDomain(who.ctx, { name: who.agent.name, hostname });
const verify = (who: DomainTenant, hostname = host) => verifyDomain(who.ctx, { name: who.agent.name, hostname });
const remove = (who: DomainTenant, hostname = host) => removeDomain(who.ctx, { name: who.agent.name, hostname });
const proofOf = (domain: { records: { value: string }[] }): string => domain.records[0]?.value ?? '';
const prove = (...values: string[]): void => dns.set('TXT', `_svc-challenge.${host}`, ...values);
const idOf = async (who: DomainTenant): Promise<string> =>
  (await db('agent_domains').where({ agent_id: who.agent.id, hostname: host }).first())?.domain_id ?? '';
const daily = async (who: DomainTenant) => (await proveDomain(who.ctx, await idOf(who), { daily: true }))?.state;
const agentAt = async (name = host) => (await resolveHost(db, name))?.agentName;

test(
  'a pending domain says which record is missing, then what was seen, then it is active',
  cites('agents.addDomain', 'agents.domains', 'agents.verifyDomain'),
  async () => {
    const added = await add(ada);
    expect(added).toMatchObject({
      hostname: host,
      state: 'pending',
      records: [
        { type: 'TXT', name: `_svc-challenge.${host}`, state: 'unchecked' },
        { type: 'A', value: HERE },
      ],
    });
    expect(proofOf(added)).toMatch(/^svc-verify account=usr_[\w-]+ nonce=[\w-]{32}$/);
    expect(await verify(ada)).toMatchObject({
      state: 'pending',
      problem: expect.stringContaining('no TXT record'),
      records: [{ state: 'missing', seen: [] }, { state: 'missing' }],
    });
    prove('svc-verify nonce=wrong', 'other=1');
    expect(await verify(ada)).toMatchObject({
      state: 'pending',
      problem: expect.stringContaining('other values'),
      records: [{ state: 'different', seen: ['svc-verify nonce=wrong', 'other=1'] }, {}],
    });
    expect(await agentAt()).toBeUndefined();
    prove('other=1', proofOf(added));
    dns.set('A', host, '198.51.100.1');
    expect(await verify(ada)).toMatchObject({
      state: 'active',
      problem: expect.stringContaining('198.51.100.1'),
      records: [{ state: 'found' }, { state: 'different', seen: ['198.51.100.1'] }],
    });
    expect(await agentAt()).toBe(ada.agent.name);
    dns.set('A', host, HERE);
    expect(await verify(ada)).toMatchObject({ state: 'active', problem: null, records: [{ state: 'found' }, { state: 'found' }] });
    expect(await listDomains(ada.ctx, { name: ada.agent.name })).toMatchObject([{ hostname: host, state: 'active' }]);
  },
);

test('many agents may ask for a name, each once; it is of the one that proves it', async () => {
  await add(ada);
  await expect(add(ada)).rejects.toMatchObject({ code: 'domain_exists' });
  await expect(add(ada, host.toUpperCase())).rejects.toMatchObject({ code: 'domain_exists' });
  const bobs = await add(bob);
  prove(proofOf(bobs));
  expect(await verify(ada)).toMatchObject({ state: 'pending', records: [{ state: 'different' }, {}] });
  expect(await verify(bob)).toMatchObject({ state: 'active' });
  expect(await agentAt()).toBe(bob.agent.name);
});

test('the proof of another account with the same nonce, or only of the name, is none', async () => {
  const proof = proofOf(await add(ada));
  const nonce = /nonce=(.*)$/.exec(proof)?.[1];
  for (const value of [
    proof.replace(/account=\S+/, `account=${bob.ctx.actor.kind === 'user' ? bob.ctx.actor.user_id : ''}`),
    `svc-verify nonce=${nonce}`,
    host,
    `${proof} `,
    proof.toUpperCase(),
  ]) {
    prove(value);
    expect((await verify(ada)).state, value).toBe('pending');
  }
});

test('while the holder is proved another agent waits; once the holder’s proof is gone, the proof decides at once', async () => {
  const adas = proofOf(await add(ada));
  prove(adas);
  await verify(ada);
  const bobs = proofOf(await add(bob));
  prove(adas, bobs);
  expect(await verify(bob)).toMatchObject({ state: 'pending', problem: expect.stringContaining('another agent') });
  expect(await agentAt()).toBe(ada.agent.name);
  prove(bobs);
  expect(await verify(bob)).toMatchObject({ state: 'active' });
  expect(await agentAt()).toBe(bob.agent.name);
  expect(await listDomains(ada.ctx, { name: ada.agent.name })).toMatchObject([{ state: 'suspended', problem: expect.stringContaining('another agent') }]);
  // The one before does not come back by its old record, while the new one is proved.
  prove(adas, bobs);
  expect(await daily(ada)).toBe('suspended');
  expect(await agentAt()).toBe(bob.agent.name);
});

test('ten agents that are proved at the same time end with one agent', async () => {
  const tenants = await Promise.all(Array.from({ length: 10 }, (_, n) => tenant(`t${n}`)));
  const proofs = await Promise.all(tenants.map(async (who) => proofOf(await add(who))));
  prove(...proofs);
  await Promise.all(tenants.map((who) => verify(who)));
  expect(await db('agent_domains').where({ hostname: host, state: 'active' })).toHaveLength(1);
});

test('a proof that is gone twice suspends, name servers that are silent do not, and the proof brings it back', async () => {
  const proof = proofOf(await add(ada));
  prove(proof);
  await verify(ada);
  dns.fail(true);
  for (let day = 0; day < 5; day += 1) expect(await daily(ada)).toBe('active');
  dns.fail(false);
  prove();
  expect(await daily(ada)).toBe('active');
  // Looks that somebody asks for do not count.
  for (let look = 0; look < 3; look += 1) expect((await verify(ada)).state).toBe('active');
  prove(proof);
  expect(await daily(ada), 'found in between').toBe('active');
  prove();
  expect([await daily(ada), await daily(ada)]).toEqual(['active', 'suspended']);
  expect(await agentAt()).toBeUndefined();
  prove(proof);
  expect(await daily(ada)).toBe('active');
  expect(await agentAt()).toBe(ada.agent.name);
});

test('name servers that do not answer are said to be so', async () => {
  await add(ada);
  dns.fail(true);
  await expect(verify(ada)).rejects.toMatchObject({ code: 'dns_unanswered' });
  expect(await listDomains(ada.ctx, { name: ada.agent.name })).toMatchObject([{ state: 'pending', records: [{ state: 'unanswered' }, {}] }]);
});

test('after three days without a proof it has failed; verifying begins again with a workflow of its own', async () => {
  const proof = proofOf(await add(ada));
  now += 72 * 3_600_000 + 1;
  expect((await verify(ada)).state).toBe('failed');
  prove(proof);
  expect(await daily(ada)).toBeUndefined();
  expect(await verify(ada)).toMatchObject({ state: 'active' });
  const started = await db('outbox')
    .where({ kind: 'start', name: 'verifyDomain' })
    .where('workflow_id', 'like', `%${await idOf(ada)}%`)
    .orderBy('outbox_id')
    .pluck('workflow_id');
  expect(started.map((id) => id.split(':')[2])).toEqual(['1', '2']);
});

test('it can be removed at any time, also while it is looked at, and twice', cites('agents.removeDomain'), async () => {
  prove(proofOf(await add(ada)));
  const [looked] = await Promise.allSettled([verify(ada), remove(ada)]);
  expect(looked.status === 'rejected' ? looked.reason : { code: 'domain_not_found' }).toMatchObject({ code: 'domain_not_found' });
  await expect(remove(ada)).rejects.toMatchObject({ code: 'domain_not_found' });
  expect(await agentAt()).toBeUndefined();
  expect(await listDomains(ada.ctx, { name: ada.agent.name })).toEqual([]);
  // Added again it needs a new proof: the old record is of nobody.
  expect(proofOf(await add(ada))).not.toBe(proofOf({ records: [{ value: '' }] }));
  expect((await verify(ada)).state).toBe('pending');
});

test('another account neither sees nor touches it', async () => {
  await add(ada);
  for (const call of [verifyDomain, removeDomain])
    await expect(call(bob.ctx, { name: ada.agent.name, hostname: host })).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(listDomains(bob.ctx, { name: ada.agent.name })).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(addDomain(bob.ctx, { name: ada.agent.name, hostname: host })).rejects.toMatchObject({ code: 'agent_not_found' });
});

test('a wildcard is one level deep, and a name of its own goes before it, of whatever account', async () => {
  const wild = await add(ada, `*.${host}`);
  expect(wild.records[0]?.name).toBe(`_svc-challenge.${host}`);
  const exact = await addDomain(bob.ctx, { name: bob.agent.name, hostname: `pay.${host}` });
  prove(proofOf(wild));
  dns.set('TXT', `_svc-challenge.pay.${host}`, proofOf(exact));
  await verify(ada, `*.${host}`);
  await verify(bob, `pay.${host}`);
  expect([await agentAt(`a.${host}`), await agentAt(`pay.${host}`), await agentAt(host), await agentAt(`a.b.${host}`)]).toEqual([
    ada.agent.name,
    bob.agent.name,
    undefined,
    undefined,
  ]);
});

test('a deleted agent answers nowhere, and its name can be proved by another', async () => {
  const adas = proofOf(await add(ada));
  prove(adas);
  await verify(ada);
  await deleteAgent(ada.ctx, { name: ada.agent.name });
  expect(await agentAt()).toBeUndefined();
  expect(await db('agent_domains').where({ agent_id: ada.agent.id })).toEqual([]);
  prove(adas, proofOf(await add(bob)));
  expect((await verify(bob)).state).toBe('active');
});

test('an agent has fifty, also of those who add at the same time', async () => {
  const added = await Promise.allSettled(Array.from({ length: 53 }, (_, n) => add(ada, `n${n}.${host}`)));
  expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  expect(added.filter((one) => one.status === 'rejected' && one.reason.code === 'domain_limit')).toHaveLength(3);
});

test('what name servers say is bounded', async () => {
  await add(ada);
  prove(...Array.from({ length: 60 }, (_, n) => `${n}-${'x'.repeat(200)}`));
  const [ownership] = (await verify(ada)).records;
  expect(ownership?.seen.length).toBe(20);
});
