// Custom domains on a real Temporal server: the proof by a real name server, the certificate by an authority
// of the test's own.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDomainActivities } from '#activities/domains.ts';
import { createDeployActivities } from '#activities/deploy.ts';
import { addDomain } from '#core/agents/domain/add.ts';
import { listDomains } from '#core/agents/domain/list.ts';
import { removeDomain } from '#core/agents/domain/remove.ts';
import { resolveHost, servingCertificate } from '#core/agents/domain/resolve-host.ts';
import { verifyDomain } from '#core/agents/domain/verify.ts';
import { sweepOutbox } from '#core/outbox/dispatch.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { testAuthority, type TestAuthority } from '#test/support/authority.ts';
import { domainNames, HERE } from '#test/support/custom-domains.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { TestDns } from '#test/support/dns.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testTemporal } from '#test/support/servers.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { startTestWorkers } from '#test/support/workers.ts';

let t: TestContext;
let dns: TestDns;
let authority: TestAuthority;
let ada: TestUser;
let agent: TestAgent;
let stop: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  const names = await domainNames();
  ({ dns } = names);
  authority = testAuthority();
  Object.assign(t.ctx.drivers, { certificates: authority, dns: names.resolver });
  Object.assign(t.ctx.config, { domains: { targets: [HERE], https: true } });
  ada = await t.user('ada');
  agent = await addAgent(t.ctx.db, ada.actor.user_id, { live: true });
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createDomainActivities(t.ctx) };
  stop = await startTestWorkers(temporal, activities);
});
afterAll(async () => {
  await stop();
  await t.close();
  await dns.close();
});

const ctxOf = (user: TestUser): Ctx => user;
const add = async (hostname: string) => {
  const added = await addDomain(ctxOf(ada), { name: agent.name, hostname });
  const row = await t.ctx.db('agent_domains').where({ agent_id: agent.id, hostname }).first();
  return { proof: added.records[0]?.value ?? '', id: row?.domain_id ?? '' };
};
const stateOf = async (id: string) => (await t.ctx.db('agent_domains').where({ domain_id: id }).first())?.state;
const sweepUntil = (check: () => Promise<void>) =>
  vi.waitFor(
    async () => {
      await sweepOutbox(t.ctx);
      await check();
    },
    { timeout: 60_000, interval: 100 },
  );
const over = async (workflowId: string) => expect((await t.temporal.workflow.getHandle(workflowId).describe()).status.name).toBe('COMPLETED');

test('a name is proved, gets its certificate, is renewed when due, and leaves nothing when it is removed', async () => {
  const host = 'flow.example.org';
  const { proof, id } = await add(host);
  dns.set('A', host, HERE);
  await sweepUntil(async () => expect(dns.asked).toContain(`TXT _svc-challenge.${host}`));
  expect(await stateOf(id)).toBe('pending');
  dns.set('TXT', `_svc-challenge.${host}`, proof);
  // Its own next look is half a minute away: somebody asks.
  await verifyDomain(ctxOf(ada), { name: agent.name, hostname: host });
  expect(await resolveHost(t.ctx.db, host)).toMatchObject({ agentName: agent.name });
  await sweepUntil(async () => expect(await servingCertificate(t.ctx, host)).toBeDefined());
  const first = await servingCertificate(t.ctx, host);
  // Due now; the workflow sleeps for a day, and is woken.
  await t.ctx
    .db('domain_certificates')
    .where({ domain_id: id, state: 'issued' })
    .update({ renew_at: new Date(0) });
  await verifyDomain(ctxOf(ada), { name: agent.name, hostname: host });
  await sweepUntil(async () => expect((await servingCertificate(t.ctx, host))?.certificateId).not.toBe(first?.certificateId));
  expect(authority.calls.filter((call) => call === `open ${host}`)).toHaveLength(2);
  await removeDomain(ctxOf(ada), { name: agent.name, hostname: host });
  expect(await resolveHost(t.ctx.db, host)).toBeUndefined();
  await sweepUntil(async () => expect(await stateOf(id)).toBeUndefined());
  expect(authority.revoked).toHaveLength(2);
  await sweepUntil(async () => {
    await over(`domain:${id}:1`);
    await over(`certificate:${id}`);
  });
  await recordHistory(t.temporal, `domain:${id}:1`, 'verifyDomain.removed');
  await recordHistory(t.temporal, `certificate:${id}`, 'renewCertificate.removed');
});

test('it looks again on its own, ever later, until the proof is there', async () => {
  const host = 'again.example.org';
  const { proof, id } = await add(host);
  await t.temporal.workflow.start('verifyDomain', {
    workflowId: `short:${id}`,
    taskQueue: 'control',
    args: [{ domain_id: id, times: { first_ms: 50, last_ms: 400, day_ms: 100 } }],
  });
  const looks = (): number => dns.asked.filter((asked) => asked === `TXT _svc-challenge.${host}`).length;
  await vi.waitFor(() => expect(looks()).toBeGreaterThan(3), { timeout: 30_000 });
  dns.set('TXT', `_svc-challenge.${host}`, proof);
  await sweepUntil(async () => expect(await stateOf(id)).toBe('active'));
  // Then once a day, which is short here: two that do not find it suspend.
  dns.set('TXT', `_svc-challenge.${host}`);
  await sweepUntil(async () => expect(await stateOf(id)).toBe('suspended'));
  expect(await listDomains(ctxOf(ada), { name: agent.name })).toMatchObject([{ hostname: host, state: 'suspended' }]);
  dns.set('TXT', `_svc-challenge.${host}`, proof);
  await sweepUntil(async () => expect(await stateOf(id)).toBe('active'));
  await removeDomain(ctxOf(ada), { name: agent.name, hostname: host });
  await sweepUntil(() => over(`short:${id}`));
});

test('a name that nobody proves in time has failed; its workflow ends, also where another proof has begun before it looks', async () => {
  const { id } = await add('late.example.org');
  await t.ctx
    .db('agent_domains')
    .where({ domain_id: id })
    .update({ prove_until: new Date(0) });
  const looks = (): number => dns.asked.filter((asked) => asked === 'TXT _svc-challenge.late.example.org').length;
  const verify = () => verifyDomain(ctxOf(ada), { name: agent.name, hostname: 'late.example.org' });
  await verify();
  expect(await stateOf(id)).toBe('failed');
  await verify();
  expect(await stateOf(id)).toBe('pending');
  await sweepUntil(() => over(`domain:${id}:1`));
  await sweepUntil(async () => expect(looks()).toBeGreaterThan(2));
  await recordHistory(t.temporal, `domain:${id}:1`, 'verifyDomain.failed');
  await removeDomain(ctxOf(ada), { name: agent.name, hostname: 'late.example.org' });
});
