// A machine without KVM, whose operator set SVC_REQUIRE_KVM. Strangers try to have their code run, or to feed
// code that runs.
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createClient } from '#contract/client.ts';
import { createLogger } from '#api/http/log.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { createApiServer } from '#api/server.ts';
import { refuseStrangers } from '#core/accounts/control.ts';
import { requireKvm } from '#core/kernel/strangers.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { liveAgent } from '../support/runs.ts';
import { createWorld, type World, type Who } from '../api/world.ts';

let world: World;
let host: () => Promise<'kvm' | 'tcg' | 'unknown' | undefined>;
beforeAll(async () => {
  world = await createWorld({ serving: true });
  requireKvm(world.ctx.db, { current: async () => ({ runtime: 'r', sdk: 's', accelerator: await host() }) });
});
afterAll(() => world.close());
afterEach(() => vi.restoreAllMocks());

/** What processes remember of accounts and of the host is over. */
let passed = 0;
function later(): void {
  vi.restoreAllMocks();
  passed += 60_000;
  const now = performance.now() + passed;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
}
const name = (): string => world.records['name'] ?? '';
const call = (who?: Who): Promise<unknown> => world.as(who).agents.invoke({ params: { name: name(), skill_name: 'greet' }, body: { name: 'x' } });
const refused = expect.objectContaining({ status: 403, code: 'kvm_required' });

test('without KVM, or while the host cannot say, strangers neither call nor deploy; their tokens are as good as none', async () => {
  for (const answer of [async () => 'tcg' as const, async () => 'unknown' as const, async () => undefined, () => Promise.reject(new Error('no host'))]) {
    host = answer;
    later();
    await expect(world.as('ada').auth.me({})).rejects.toEqual(refused);
    await expect(world.as('ada').agents.fromSource({ body: { name: 'mine' } })).rejects.toEqual(refused);
    await expect(call('ada')).rejects.toEqual(refused);
    await expect(call('agent')).rejects.toEqual(refused);
    expect(await world.as('operator').auth.me({})).toMatchObject({ operator: true });
  }
});

test('a stranger’s agent that is deployed already is called by nobody, an operator’s by the operator', async () => {
  host = async () => 'tcg';
  later();
  const { db } = world.ctx;
  const operator = await db('users').where({ operator: true }).first();
  const ada = await db('users')
    .where({ user_id: world.records['user_id'] ?? '' })
    .first();
  if (!operator || !ada) throw new Error('the world has no such accounts');
  const actor = { kind: 'user', user_id: operator.user_id, email: operator.email, operator: true, via: 'bearer' } as const;
  await expect(refuseStrangers(db, actor, ada.user_id)).rejects.toMatchObject({ code: 'kvm_required' });
  await refuseStrangers(db, actor, operator.user_id);
  await expect(refuseStrangers(db, { kind: 'anonymous' }, operator.user_id)).rejects.toMatchObject({ code: 'kvm_required' });
  expect((await liveAgent(world.ctx, operator.user_id)).ownerId).toBe(operator.user_id);
});

test('nor by a caller without an account at its own address', async () => {
  const { db, config } = world.ctx;
  const stopping = new AbortController();
  const pools = createAgentPools({ connections: 1, inFlight: 1, pools: 1, idleMs: 1_000, connectMs: 1_000 });
  const operator = await db('users').where({ operator: true }).first('user_id');
  const ingress = createIngress({
    platform: { config, issuer: `${config.baseUrl}/idp` },
    resolve: async (agentName) => ({
      agentId: 'agt_1', agentName, ownerId: operator?.user_id ?? '', deployId: 'dep_1', version: '1.0.0', image: 'sha256:1', runtime: 'sha256:2',
      visibility: 'public', address: { unix: '/nothing/listens.sock' }, apiKey: 'the-key', maxRuntimeMs: 50,
    }), // prettier-ignore
    admit: {
      authenticate: () => Promise.reject(new Error('nobody signs in here')),
      refuse: (actor, ownerId) => refuseStrangers(db, actor, ownerId),
      whileAllowed: () => () => undefined,
    },
    call: { callAgent: () => Promise.reject(new Error('no call of a skill')), beginTask: async () => ({}) },
    pass: { pools },
    report: { log: createLogger('silent') },
  });
  const server = createApiServer({ fronts: [ingress.front], api: (_request, response) => response.end(), stopping, graceMs: 200 });
  const port = Number(new URL(await server.listen(0, '127.0.0.1')).port);
  const visit = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: `shop.${config.agentsDomain}` };
      request({ host: '127.0.0.1', port, path: '/orders', headers }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
  try {
    host = async () => 'tcg';
    later();
    expect(await visit()).toBe(403);
    host = async () => 'kvm';
    later();
    // Let through to an agent that does not exist.
    expect(await visit()).toBeGreaterThanOrEqual(502);
  } finally {
    await server.close();
    await pools.close();
  }
});

test('members of an organization that an operator owns are served, and no longer when they have left', async () => {
  host = async () => 'tcg';
  later();
  const { slug } = await world.as('operator').organizations.create({ body: { slug: 'our-house', name: 'Our house' } });
  const { db } = world.ctx;
  const organization = await db('organizations').where({ slug }).first();
  const ada = await db('users')
    .where({ user_id: world.records['user_id'] ?? '' })
    .first();
  const member = { member_id: 'mem_test', organization_id: organization?.organization_id ?? '', user_id: ada?.user_id ?? '', email: ada?.email ?? '', role: 'developer', state: 'active', source: 'person' } as const; // prettier-ignore
  await db('organization_members').insert({ ...member, joined_at: new Date(), created_at: new Date(), updated_at: new Date() });
  later();
  expect(await world.as('ada').auth.me({})).toMatchObject({ user_id: ada?.user_id });
  await db('organization_members').where({ member_id: member.member_id }).update({ state: 'suspended' });
  later();
  await expect(world.as('ada').auth.me({})).rejects.toEqual(refused);
});

test('whom such an organization invites accepts, and until then may do nothing else; whom another organization invites is refused', async () => {
  const { db } = world.ctx;
  host = async () => 'kvm';
  later();
  const { email } = await world.as('ben').auth.me({});
  const { slug: hers } = await world.as('ada').organizations.create({ body: { slug: 'her-house', name: 'Her house' } });
  const { slug } = await world.as('operator').organizations.create({ body: { slug: 'the-house', name: 'The house' } });
  const tokenOf = ({ invitation_url: url }: { invitation_url: string | null }): string => new URL(url ?? '').hash.slice(1);
  const foreign = tokenOf(await world.as('ada').organizations.invite({ params: { slug: hers }, body: { email, role: 'developer' } }));
  host = async () => 'tcg';
  later();
  const accept = (token: string) => createClient({ baseUrl: world.url, token: world.tokens.ben }).organizations.acceptInvitation({ body: { token } });
  await expect(accept(foreign)).rejects.toEqual(refused);
  await expect(world.as('ben').auth.me({})).rejects.toEqual(refused);

  const token = tokenOf(await world.as('operator').organizations.invite({ params: { slug }, body: { email, role: 'developer' } }));
  later();
  expect(await world.as('ben').auth.me({})).toMatchObject({ email });
  const ben = () => world.as('ben');
  await expect(ben().agents.fromSource({ body: { name: 'mine' } })).rejects.toEqual(refused);
  await expect(ben().organizations.create({ body: { slug: 'his-house', name: 'His house' } })).rejects.toEqual(refused);
  await expect(ben().agents.mine({ query: {} })).rejects.toEqual(refused);
  await expect(call('ben')).rejects.toEqual(refused);
  // Nor do his tokens of other kinds do anything, nor is he let in where an operator has suspended him.
  await expect(call('agent')).rejects.toEqual(refused);
  const his = await db('users').where({ email }).first('user_id');
  const rights = { may_deploy: true, may_publish: true, may_call_external: true, limits: '{}', recent_calls: '[]' };
  await db('control_policies').insert({
    ...rights,
    user_id: his?.user_id ?? '',
    suspended: true,
    reason: 'x',
    version: 1,
    updated_at: new Date(),
    updated_by: 'x',
  });
  later();
  await expect(accept(token)).rejects.toEqual(refused);
  await db('control_policies')
    .where({ user_id: his?.user_id ?? '' })
    .delete();
  later();

  expect(await accept(token)).toMatchObject({ slug });
  expect(await world.as('ben').organizations.list({ query: {} })).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ slug })]) });
  await expect(accept(token)).rejects.toMatchObject({ status: 410 });
});

test('with KVM everybody is served', async () => {
  host = async () => 'kvm';
  later();
  expect(await world.as('ada').auth.me({})).toMatchObject({ user_id: world.records['user_id'] });
  await refuseStrangers(world.ctx.db, { kind: 'anonymous' }, world.records['user_id'] ?? '');
});
