// An organization that pays for language models: as owner of an agent, as its caller, through a model grant.
// Its key and its budgets, whoever acts for it.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { contract } from '#contract/index.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import type { Actor, RunActor, UserActor } from '#core/kernel/ctx.ts';
import { actingFor } from '#core/accounts/acting.ts';
import { newId } from '#core/kernel/ids.ts';
import { beginRun } from '#core/runs/run/begin.ts';
import { body, CHAT_COST, modelAttack, type ModelAttack, PATHS, PRICE } from '#test/attacks/model-attacker.ts';
import { type LiveAgent, liveAgent, type TestRun } from '#test/support/runs.ts';
import { addUser } from '#test/support/verbs.ts';

const ORG_KEY = 'sk-of-the-organization-0123456789';
const slug = 'acme-models';
let it: ModelAttack;
let organization: string;
/** Two members, and somebody who is none. */
let cara: UserActor;
let dan: UserActor;
let stranger: string;

beforeAll(async () => {
  it = await modelAttack();
  const { ctx } = it.world;
  await it.world.as('ada').organizations.create({ body: { slug, name: 'Acme' } });
  organization = (await ctx.db('organizations').where({ slug }).first('organization_id'))?.organization_id ?? '';
  [cara, dan] = [await member('cara'), await member('dan')];
  stranger = await addUser(ctx.db, 'stranger');
});
afterAll(() => it.close());
beforeEach(async () => {
  for (const table of ['llm_usage', 'llm_spending', 'llm_caps', 'llm_rates', 'llm_credentials']) await it.world.ctx.db(table).delete();
  // What they have themselves is never used, and its key never sent.
  await it.lend(1_000_000);
  for (const { user_id } of [cara, dan])
    await it.world.ctx.db.raw(
      `insert into llm_credentials select (jsonb_populate_record(c, jsonb_build_object('credential_id', c.credential_id || ?::text, 'user_id', ?::text, 'key_sealed', null))).*
       from llm_credentials c where user_id = ?`,
      [user_id, user_id, it.ada],
    );
  Object.assign(it.provider, { pace: async () => undefined, hold: undefined, words: ['Hel', 'lo'] });
  it.provider.asked.length = 0;
});

async function member(name: string): Promise<UserActor> {
  const user_id = await addUser(it.world.ctx.db, name);
  const at = new Date();
  const facts = { user_id, organization_id: organization, email: `${name}@example.test`, role: 'developer' as const, state: 'active' as const };
  await it.world.ctx.db('organization_members').insert({ member_id: newId('mem'), ...facts, source: 'person', created_at: at, updated_at: at, joined_at: at });
  return { kind: 'user', user_id, email: facts.email, operator: false, via: 'bearer' };
}
const acting = () =>
  clientOf(contract, {
    baseUrl: it.world.url,
    token: it.world.tokens.ada,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), 'svc-organization': slug } }),
  });
const give = (more: object = {}) =>
  acting().llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: it.provider.url, model: 'm-1', price: PRICE, api_key: ORG_KEY, ...more },
  });
async function agentOf(owner: string, models: object): Promise<LiveAgent> {
  const agent = await liveAgent(it.world.ctx, owner, { visibility: 'public' });
  await it.world.ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify({ models }) });
  return agent;
}
/** Of a call that the person makes for the organization, as the API begins it. */
async function run(agent: LiveAgent, person: UserActor, forOrganization = true): Promise<TestRun> {
  const { ctx } = it.world;
  const actor = forOrganization ? await actingFor(ctx.db, person, slug) : person;
  return { ...ctx, actor: await begun(agent, actor) };
}
async function begun(agent: LiveAgent, actor: Actor): Promise<RunActor> {
  const { ctx } = it.world;
  const route = await resolveRoute(ctx, agent.name);
  if (!route) throw new Error(`${agent.name} does not serve`);
  return beginRun(ctx, { route, actor, skill: 'work' });
}
const chat = async (of: TestRun, more: object = {}) => it.ask(PATHS.chat, await it.token(of), { ...body('m-1'), ...more });
const keysSent = () => [...new Set(it.provider.asked.map(({ headers }) => headers.authorization))];
const uses = () => it.world.ctx.db('llm_usage').orderBy('usage_id');
const ours = [`Bearer ${ORG_KEY}`];

describe('whose key, by what the agent declares', () => {
  test("the organization's agent: its own key, whoever calls it", async () => {
    await give();
    const agent = await agentOf(organization, { paid_by: 'owner' });
    const member = await run(agent, cara);
    const outsider: UserActor = { ...cara, user_id: stranger };
    for (const call of [member, await run(agent, cara, false), await run(agent, outsider, false)]) expect((await chat(call)).status).toBe(200);
    expect(keysSent()).toEqual(ours);
    expect((await uses()).map(({ user_id, person_id }) => [user_id, person_id])).toEqual([
      [organization, cara.user_id],
      [organization, cara.user_id],
      [organization, stranger],
    ]);
  });

  test("another's agent that its caller pays: the key of the organization that is acted for, as far as it lends it", async () => {
    const agent = await agentOf(it.mallory, { paid_by: 'caller' });
    const of = await run(agent, cara);
    await give();
    expect(await chat(of)).toMatchObject({ status: 409, code: 'models_not_allowed' });
    it.nothingAsked();
    await give({ agent_run_budget_micros: 1_000 });
    expect((await chat(of)).status).toBe(200);
    expect(await chat(of, { max_tokens: 5_000 })).toMatchObject({ status: 402, code: 'llm_cap_reached' });
    expect(keysSent()).toEqual(ours);
    expect(await uses()).toMatchObject([{ user_id: organization, person_id: cara.user_id, cost_micros: CHAT_COST }]);
  });

  test('the caller or else the owner, where the owner is the organization', async () => {
    await give();
    const agent = await agentOf(organization, { paid_by: 'caller_or_owner' });
    expect((await chat(await run(agent, { ...cara, user_id: stranger }, false))).status).toBe(200);
    expect(keysSent()).toEqual(ours);
    it.provider.asked.length = 0;
    // Who lends their own is asked first, and only where they call for themselves.
    expect((await chat(await run(agent, dan, false))).status).toBe(200);
    expect(keysSent()).not.toEqual(ours);
    expect((await uses()).at(-1)).toMatchObject({ user_id: dan.user_id });
  });

  test("a model grant of a run: the organization's key, the grant's models and budget", async () => {
    await give({ agent_run_budget_micros: 1_000_000 });
    const of = await run(await agentOf(it.mallory, { paid_by: 'caller_or_owner' }), cara);
    const grant = { run_token: await it.token(of), budget_micros: 1_000, ttl_seconds: 60, models: ['m-*'] };
    const { key } = await it.world.as('platform').platform.createLlmGrant({ body: grant });
    expect(await it.ask(PATHS.chat, key, body('other-1'))).toMatchObject({ status: 403, code: 'model_not_allowed' });
    expect((await it.ask(PATHS.chat, key, body('m-1'))).status).toBe(200);
    expect(await it.ask(PATHS.chat, key, { ...body('m-1'), max_tokens: 5_000 })).toMatchObject({ status: 402, code: 'llm_cap_reached' });
    expect(keysSent()).toEqual(ours);
    expect(await uses()).toMatchObject([{ user_id: organization, cost_micros: CHAT_COST }]);
  });

  test('who is a member no more has it no more', async () => {
    await give();
    const erin = await member('erin');
    await it.world.ctx.db('organization_members').where({ user_id: erin.user_id }).update({ state: 'suspended' });
    await expect(run(await agentOf(organization, { paid_by: 'owner' }), erin)).rejects.toMatchObject({ code: 'organization_not_yours' });
  });
});

/** Each stream asks for 100 tokens at most: 1,000 micro-dollars, and some for what it says. */
async function race(runs: TestRun[], streams: number): Promise<number[]> {
  const keys = await Promise.all(runs.map((one) => it.token(one)));
  const all = Array.from({ length: streams }, async (_, at) => {
    const headers = { authorization: `Bearer ${keys[at % keys.length]}`, 'content-type': 'application/json' };
    const response = await fetch(it.world.url + PATHS.chat, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body('m-1'), stream: true, max_tokens: 100 }),
    });
    await response.text();
    return response.status;
  });
  const statuses = await Promise.all(all);
  await vi.waitFor(async () => expect((await uses()).map(({ state }) => state)).not.toContain('running'), 20_000);
  return statuses;
}

describe('budgets', () => {
  test('200 streams of two members at once spend no more than the month of the organization, and it is counted once', async () => {
    const budget = 20_000;
    await give({ monthly_budget_micros: budget });
    const release = Promise.withResolvers<void>();
    it.provider.pace = () => release.promise;
    const agent = await agentOf(organization, { paid_by: 'owner' });
    const racing = race([await run(agent, cara), await run(agent, dan), await run(agent, { ...cara, user_id: stranger }, false)], 200);
    // All that the budget covers is under way before one of them ends.
    await vi.waitFor(() => expect(it.world.logs.join('')).toContain('llm_budget_exceeded'), 20_000);
    expect((await it.world.ctx.db('llm_spending')).reduce((sum, one) => sum + one.reserved_micros + one.spent_micros, 0)).toBeLessThanOrEqual(budget);
    release.resolve();
    const statuses = await racing;
    const answered = statuses.filter((status) => status === 200).length;
    expect([...new Set(statuses)].toSorted((a, b) => a - b)).toEqual([200, 402]);
    const [spending, ...others] = await it.world.ctx.db('llm_spending');
    expect(others).toEqual([]);
    expect(spending).toMatchObject({ spent_micros: answered * CHAT_COST, reserved_micros: 0 });
    expect(spending?.spent_micros).toBeLessThanOrEqual(budget);
    expect(keysSent()).toEqual(ours);
    expect(new Set((await uses()).map(({ user_id }) => user_id))).toEqual(new Set([organization]));
  });

  test('a budget of the policy for each person is of each member, not of all of them together', async () => {
    await give();
    await acting().controlRoom.setPolicy({ body: { person_daily_budget_cents: 1 } });
    const agent = await agentOf(organization, { paid_by: 'owner' });
    const [caras, dans] = [await run(agent, cara), await run(agent, dan)];
    expect(await race([caras], 40)).toContain(402);
    const spentBy = async (person_id: string): Promise<number> =>
      (await uses()).filter((one) => one.person_id === person_id).reduce((sum, { cost_micros }) => sum + (cost_micros ?? 0), 0);
    expect(await spentBy(cara.user_id)).toBeGreaterThan(0);
    expect(await spentBy(cara.user_id)).toBeLessThanOrEqual(10_000);
    expect((await chat(dans)).status).toBe(200);
    expect(await spentBy(dan.user_id)).toBe(CHAT_COST);
    // An agent that it calls for the member spends of the same.
    const child = await begun(await agentOf(organization, { paid_by: 'owner' }), caras.actor);
    expect(child).toMatchObject({ user_id: organization, person_id: cara.user_id });
    expect(await chat({ ...it.world.ctx, actor: child }, { max_tokens: 1_000 })).toMatchObject({ status: 402, code: 'policy_budget_reached' });
  });
});
