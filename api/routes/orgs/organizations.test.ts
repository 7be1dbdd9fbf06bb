// The header by which a person acts for an organization, over HTTP: whose things they see and make, who may
// not, and who cannot say it at all.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { contract } from '#contract/index.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { addAgent } from '#test/support/verbs.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { cites } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let benId: string;
let memberId: string;
const slug = 'acme-http';

beforeAll(async () => {
  world = await createWorld();
  await world.as('ada').organizations.create({ body: { slug, name: 'Acme' } });
  benId = (await world.as('ben').auth.me()).user_id;
  memberId = newId('mem');
  const organization = await world.ctx.db('organizations').where({ slug }).first('organization_id');
  const now = new Date();
  await world.ctx.db('organization_members').insert({
    member_id: memberId,
    organization_id: organization?.organization_id ?? '',
    user_id: benId,
    email: 'ben@example.test',
    role: 'developer',
    state: 'active',
    source: 'person',
    created_at: now,
    updated_at: now,
    joined_at: now,
  });
});
afterAll(() => world.close());

const acting = (token: string, organization = slug) =>
  clientOf(contract, {
    baseUrl: world.url,
    token,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), 'svc-organization': organization } }),
  });
const role = (as: 'developer' | 'auditor' | 'operator' | 'billing' | 'admin') =>
  world.as('ada').organizations.updateMember({ params: { slug, member_id: memberId }, body: { role: as } });
const refused = (code: string) => expect.objectContaining({ status: 403, code });

describe('a member', cites('organizations.create', 'organizations.updateMember', 'organizations.removeMember'), () => {
  test('makes and sees what is the organization’s, and what is their own without the header', async () => {
    await role('developer');
    const { thread_id } = await acting(world.tokens.ben).chatThreads.create({ body: { title: 'Ours' } });
    expect((await acting(world.tokens.ada).chatThreads.list()).items.map((one) => one.thread_id)).toContain(thread_id);
    for (const who of ['ada', 'ben'] as const) expect((await world.as(who).chatThreads.list()).items.map((one) => one.thread_id)).not.toContain(thread_id);
    await expect(world.as('ben').chatThreads.messages({ params: { thread_id } })).rejects.toMatchObject({ status: 404 });
    // Who did it is the person.
    const row = await world.ctx.db('audit_log').where({ target_id: thread_id, action: 'thread.create' }).first();
    expect(row).toMatchObject({ actor_id: benId, organization_id: row?.owner_id });
  });

  test('does not give away their own agents', async () => {
    const name = world.records['name'] ?? '';
    await expect(acting(world.tokens.ada).agents.mineOne({ params: { name } })).rejects.toMatchObject({ status: 404 });
  });

  test('does what the role allows, and it changes with the next request', async () => {
    const ours = acting(world.tokens.ben);
    await role('auditor');
    await expect(ours.chatThreads.create({ body: { title: 'No' } })).rejects.toEqual(refused('role_not_allowed'));
    await ours.chatThreads.list();
    await role('billing');
    await expect(ours.schedules.list()).resolves.toBeDefined();
    await expect(ours.llmCreds.put({ body: { name: 'main', provider: 'openai', api_key: 'sk-example-0123456789' } })).rejects.toEqual(
      refused('role_not_allowed'),
    );
    await role('admin');
    await ours.llmCreds.put({ body: { name: 'main', provider: 'openai', api_key: 'sk-example-0123456789' } });
    expect((await world.as('ben').llmCreds.list()).items).toEqual([]);
  });

  test('sets values of the organization for an agent, where the role allows it', async () => {
    const { name } = await addAgent(world.ctx.db, benId, { visibility: 'public', live: true });
    const call = (who: 'ada' | 'ben' | 'operator') => world.as(who).consumerSetup.putOrg({ params: { name }, body: { organization: slug, values: {} } });
    expect(await call('ada')).toMatchObject({ complete: true });
    await role('developer');
    await expect(call('ben')).rejects.toEqual(refused('role_not_allowed'));
    await expect(call('operator')).rejects.toMatchObject({ status: 404, code: 'organization_not_found' });
  });

  test('stays the person where it is about the person', async () => {
    expect(await acting(world.tokens.ben).auth.me()).toMatchObject({ user_id: benId });
    expect(await acting(world.tokens.ben, 'no-such-one').auth.me()).toMatchObject({ user_id: benId });
  });

  test('a stream that they read for it ends when they act for it no more', async () => {
    await role('developer');
    const headers = { authorization: `Bearer ${world.tokens.ben}`, 'svc-organization': slug, accept: 'text/event-stream' };
    const response = await fetch(`${world.url}/v1/me/events`, { headers });
    expect(response.status).toBe(200);
    await world.as('ada').organizations.updateMember({ params: { slug, member_id: memberId }, body: { state: 'suspended' } });
    // It ends: nothing else would end it within this test.
    for await (const _ of response.body ?? []);
    await world.as('ada').organizations.updateMember({ params: { slug, member_id: memberId }, body: { state: 'active' } });
  });

  test('sets the limits of the organization, not their own', async () => {
    await role('developer');
    const body = { monthly_budget_cents: 1_234 };
    await expect(acting(world.tokens.ben).controlRoom.setPolicy({ body })).rejects.toEqual(refused('role_not_allowed'));
    await acting(world.tokens.ada).controlRoom.setPolicy({ body });
    const row = await world.ctx.db('control_room_policies').where({ monthly_budget_cents: 1_234 });
    const organization = await world.ctx.db('organizations').where({ slug }).first('organization_id');
    expect(row.map(({ user_id }) => user_id)).toEqual([organization?.organization_id]);
  });

  test('who is removed no longer acts', async () => {
    const ours = acting(world.tokens.ben);
    await role('developer');
    await ours.chatThreads.list();
    await world.as('ada').organizations.updateMember({ params: { slug, member_id: memberId }, body: { state: 'suspended' } });
    await expect(ours.chatThreads.list()).rejects.toEqual(refused('organization_not_yours'));
    await world.as('ada').organizations.updateMember({ params: { slug, member_id: memberId }, body: { state: 'active' } });
    await ours.chatThreads.list();
    await world.as('ada').organizations.removeMember({ params: { slug, member_id: memberId } });
    await expect(ours.chatThreads.list()).rejects.toEqual(refused('organization_not_yours'));
  });
});

test(
  'a token of SCIM is shown once, opens what the settings say, and is nothing once it is revoked',
  cites('organizations.scim', 'organizations.scimTokens', 'organizations.createScimToken', 'organizations.revokeScimToken'),
  async () => {
    const ada = world.as('ada').organizations;
    const params = { slug };
    expect(await ada.scim({ params })).toMatchObject({ enabled: false, tokens: 0, last_used_at: null, provisioned_members: 0 });
    const { token, token_id } = await ada.createScimToken({ params, body: { name: 'Directory', expires_in_days: 30 } });
    const { base_url } = await ada.scim({ params });
    const call = async (): Promise<number> => {
      const { pathname } = new URL(`${base_url}/Users`);
      return (await fetch(world.url + pathname, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    expect(await call()).toBe(200);
    expect(await ada.scim({ params })).toMatchObject({ enabled: true, tokens: 1, last_used_at: expect.any(String) });
    const listed = await ada.scimTokens({ params });
    expect(listed.items).toMatchObject([{ token_id, name: 'Directory', revoked_at: null, expires_at: expect.any(String) }]);
    expect(JSON.stringify(listed)).not.toContain(token);
    await ada.revokeScimToken({ params: { slug, token_id } });
    expect(await call()).toBe(401);
    expect((await ada.scimTokens({ params })).items).toMatchObject([{ token_id, revoked_at: expect.any(String) }]);
    for (const who of ['ben', 'operator'] as const)
      await expect(world.as(who).organizations.createScimToken({ params, body: { name: 'x' } })).rejects.toMatchObject({ status: 404 });
  },
);

test('a person lists the organizations that they belong to, by slug, with their role', cites('organizations.list'), async () => {
  const ada = world.as('ada').organizations;
  for (const more of ['zeta-http', 'beta-http']) await ada.create({ body: { slug: more, name: more } });
  const slugs: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ada.list({ query: { limit: 1, ...(cursor !== undefined && { cursor }) } });
    expect(page.items.every(({ role: as }) => as === 'owner')).toBe(true);
    slugs.push(...page.items.map((one) => one.slug));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(slugs).toEqual(slugs.toSorted());
  expect(slugs).toEqual(expect.arrayContaining(['beta-http', 'zeta-http', slug]));
  expect((await world.as('ben').organizations.list({ query: {} })).items.map((one) => one.slug)).not.toContain('beta-http');
});

describe('the header', () => {
  test.each([slug, 'no-such-one', '', 'ACME', `${slug}, x`, "x' or 1=1", 'a'.repeat(500)])('says nothing to who is no member: %s', async (organization) => {
    await expect(acting(world.tokens.operator, organization).chatThreads.list()).rejects.toEqual(refused('organization_not_yours'));
  });

  test('an operator of the installation has no more of an organization than anybody', async () => {
    await expect(acting(world.tokens.operator).agents.mine()).rejects.toEqual(refused('organization_not_yours'));
  });

  test('is nothing for tokens of agents', async () => {
    const name = world.records['name'] ?? '';
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { authorization: `Bearer ${world.tokens.agent}`, 'svc-organization': slug, 'content-type': 'application/json' };
    const answer = await fetch(`${world.url}/v1/agents/${name}/mcp`, { method: 'POST', headers, body });
    expect(answer.status).toBe(403);
  });

  test('no token signs in as an organization', async () => {
    const token = newPlatformToken();
    const organization = await world.ctx.db('organizations').where({ slug }).first('organization_id');
    const user_id = organization?.organization_id ?? '';
    await world.ctx.db('platform_tokens').insert({ token_id: newId('tok'), token_hash: hashSecret(token), kind: 'user', user_id, agent_id: null, label: 'x' });
    const answer = await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
  });
});
