import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { inTx } from '../../kernel/tx.ts';
import { claimName } from './claim-name.ts';
import { deleteAgent } from './delete.ts';
import { getAgent, getMine } from './get.ts';
import { listAgents, listMine, summarizeMine } from './list.ts';
import { setReusePolicy, setVisibility } from './visibility.ts';
import { registerAgent } from './register.ts';
import { searchAgents } from './search.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  ben = await t.user('ben');
});
afterAll(() => t.close());

const defaults: { description: string; tags: string[]; visibility: 'unlisted'; reuse_policy: 'closed' } = {
  description: '',
  tags: [],
  visibility: 'unlisted',
  reuse_policy: 'closed',
};

/** A live agent without a machine: the rows a deployment leaves. */
async function live(
  owner: TestUser,
  name: string,
  more: { visibility?: 'public' | 'unlisted'; description?: string; tags?: string[]; skills?: string[] } = {},
): Promise<void> {
  await registerAgent(owner, { ...defaults, name, description: more.description ?? '', tags: more.tags ?? [] });
  const agent = await t.ctx.db('agents').where({ name }).first('agent_id', 'search_text');
  const deployId = `dep_${name}`;
  await t.ctx.db('jobs').insert({ job_id: `job_${name}`, kind: 'deploy', state: 'queued', title: name, owner_id: owner.actor.user_id });
  await t.ctx.db('deployments').insert({
    deploy_id: deployId,
    agent_id: agent?.agent_id ?? '',
    number: 1,
    state: 'live',
    job_id: `job_${name}`,
    created_by: owner.actor.user_id,
    entrypoint: 'agent:A',
    manifest: '{}',
    source_key: 'k',
    source_sha256: '0',
    source_bytes: 1,
  });
  await t.ctx
    .db('agents')
    .where({ name })
    .update({
      live_deploy_id: deployId,
      skills: more.skills ?? [],
      visibility: more.visibility ?? 'unlisted',
      search_text: `${agent?.search_text} ${(more.skills ?? []).join(' ')}`,
    });
}

describe('names', () => {
  test('the first to register has the name; the second is refused, whichever account it is', async () => {
    const agent = await registerAgent(ada, { ...defaults, name: 'first' });
    expect(agent).toMatchObject({ name: 'first', state: 'registered', mine: true, url: 'http://first.localhost:8080', version: null });
    await expect(registerAgent(ada, { ...defaults, name: 'first' })).rejects.toMatchObject({ code: 'agent_exists' });
    await expect(registerAgent(ben, { ...defaults, name: 'first' })).rejects.toMatchObject({ code: 'name_taken' });
  });

  test('twenty at once: one wins', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, (_, n) => t.user(`racer${n}`)));
    const outcomes = await Promise.allSettled(users.map((user) => registerAgent(user, { ...defaults, name: 'raced' })));
    expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(1);
    for (const o of outcomes) if (o.status === 'rejected') expect(o.reason).toMatchObject({ code: 'name_taken' });
  });

  test("a retired name stays its owner's: no other account can take it", cites('agents.delete'), async () => {
    await registerAgent(ada, { ...defaults, name: 'retired' });
    await deleteAgent(ada, { name: 'retired' });
    await expect(getAgent(ada, { name: 'retired' })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(registerAgent(ben, { ...defaults, name: 'retired' })).rejects.toMatchObject({ code: 'name_taken' });
    await expect(registerAgent(ada, { ...defaults, name: 'retired' })).resolves.toMatchObject({ name: 'retired' });
  });

  test('names that are routes or hosts of the platform are not given away', async () => {
    // xn--bung-zra is "übung" in a browser's address bar.
    for (const name of ['mine', 'search', 'api', 'idp', 'from-tarball', 'xn--bung-zra']) {
      await expect(registerAgent(ada, { ...defaults, name })).rejects.toMatchObject({ code: 'name_reserved' });
    }
  });

  test('nor is one whose address would be the platform itself', async () => {
    const config = { baseUrl: 'https://agents-inc.example.com', agentsDomain: 'example.com' };
    await expect(registerAgent({ ...ada, config }, { ...defaults, name: 'agents-inc' })).rejects.toMatchObject({ code: 'name_reserved' });
    await expect(registerAgent({ ...ada, config }, { ...defaults, name: 'agents-ink' })).resolves.toMatchObject({ url: 'https://agents-ink.example.com' });
    await expect(registerAgent(ada, { ...defaults, name: 'agents-inc' })).resolves.toMatchObject({ name: 'agents-inc' });
  });
});

describe('the most an account can have', () => {
  test('counts new agents only: what is there can still be deployed', async () => {
    const owner = await t.user('full');
    await t.ctx.db.raw(
      `insert into agents (agent_id, name, owner_id, kind) select 'agt_full' || n, 'full-' || n, ?, 'hosted' from generate_series(1, 5000) n`,
      [owner.actor.user_id],
    );
    await expect(registerAgent(owner, { ...defaults, name: 'full-5001' })).rejects.toMatchObject({ code: 'agent_limit' });
    await expect(registerAgent(owner, { ...defaults, name: 'full-1' })).rejects.toMatchObject({ code: 'agent_exists' });
    expect(await inTx(owner, (ctx) => claimName(ctx, owner.actor, 'full-1'))).toBeUndefined();
  });
});

describe('who sees what', () => {
  test("unlisted is only its owner's; public is everybody's once live", cites('agents.get'), async () => {
    await live(ada, 'hidden');
    await live(ada, 'shown', { visibility: 'public' });
    await expect(getAgent(ben, { name: 'hidden' })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(getMine(ben, { name: 'shown' })).rejects.toMatchObject({ code: 'agent_not_found' });
    expect(await getAgent(ben, { name: 'shown' })).toMatchObject({ mine: false, state: 'live' });
    const names = (await listAgents(ben, { limit: 1000 })).items.map((a) => a.name);
    expect(names).toContain('shown');
    expect(names).not.toContain('hidden');
  });

  test('publishing needs a live deployment, and only its owner may', cites('agents.setReusePolicy'), async () => {
    await registerAgent(ada, { ...defaults, name: 'draft' });
    await expect(setVisibility(ada, { name: 'draft', visibility: 'public' })).rejects.toMatchObject({ code: 'not_live' });
    await expect(registerAgent(ada, { ...defaults, name: 'eager', visibility: 'public' })).rejects.toMatchObject({ code: 'not_live' });
    await live(ada, 'ready');
    await expect(setVisibility(ben, { name: 'ready', visibility: 'public' })).rejects.toMatchObject({ code: 'agent_not_found' });
    expect(await setVisibility(ada, { name: 'ready', visibility: 'public' })).toMatchObject({ visibility: 'public' });
    expect(await setVisibility(ada, { name: 'ready', visibility: 'unlisted' })).toMatchObject({ visibility: 'unlisted' });
    expect(await setReusePolicy(ada, { name: 'ready', reuse_policy: 'forkable' })).toMatchObject({ reuse_policy: 'forkable', visibility: 'unlisted' });
  });

  test('every change leaves an audit row with who and what', async () => {
    const rows = await t.ctx.db('audit_log').where({ action: 'agent.visibility', owner_id: ada.actor.user_id });
    expect(rows.map((r) => r.details)).toContainEqual({ visibility: 'public' });
  });
});

describe('lists', () => {
  test('pages join without a gap or a double', cites('agents.mineSummary'), async () => {
    const owner = await t.user('many');
    for (let n = 0; n < 7; n += 1) await registerAgent(owner, { ...defaults, name: `page-${n}` });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listMine(owner, { limit: 3, cursor });
      seen.push(...page.items.map((a) => a.name));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `page-${n}`));
    expect(await summarizeMine(owner)).toHaveLength(7);
    await expect(listMine(owner, { limit: 3, cursor: 'junk' })).rejects.toMatchObject({ code: 'bad_cursor' });
  });
});

describe('search', () => {
  beforeAll(async () => {
    await live(ada, 'url-shortener', { visibility: 'public', description: 'Makes long links short', tags: ['web'], skills: ['shorten', 'expand'] });
    await live(ada, 'weather', { visibility: 'public', description: 'Forecasts for any city', tags: ['web', 'data'], skills: ['forecast'] });
    await live(ada, 'weather-private', { description: 'Forecasts for any city' });
  });

  test('finds by word, by prefix and with a typing error; an exact name comes first', async () => {
    const find = async (q: string): Promise<string[]> => (await searchAgents(ben, { q, limit: 8 })).map((a) => a.name);
    expect(await find('links')).toEqual(['url-shortener']);
    expect(await find('forec')).toEqual(['weather']);
    expect(await find('shortner')).toEqual(['url-shortener']);
    expect((await find('weather'))[0]).toBe('weather');
    expect(await find("';--")).toEqual([]);
  });

  test('a misspelt word among others, and single letters, are no trouble', async () => {
    const find = async (q: string): Promise<string[]> => (await searchAgents(ben, { q, limit: 8 })).map((a) => a.name);
    expect(await find('wheather city')).toEqual(['weather']);
    expect(await find('x y')).toEqual([]);
    expect(await find('qqqqqq')).toEqual([]);
  });

  test("nothing asked: the most called ones, and the caller's own though unlisted", async () => {
    await t.ctx.db('agents').where({ name: 'weather' }).update({ call_count: 1_000 });
    expect((await searchAgents(ben, { q: '', limit: 1 })).map((a) => a.name)).toEqual(['weather']);
    expect((await searchAgents(ada, { q: '', limit: 25 })).map((a) => a.name)).toContain('weather-private');
  });

  test('more match than are ranked: the most called are among those found, an exact name before them', async () => {
    const { user_id } = (await t.user('crowd')).actor;
    const [deploy] = await t.ctx.db('deployments').where({ state: 'live' }).limit(1);
    await t.ctx.db.raw(
      `insert into agents (agent_id, name, owner_id, kind, visibility, live_deploy_id, call_count, search_text)
       select 'agt_crowd' || n, 'crowd-' || n, ?, 'hosted', 'public', ?, n, 'crowd-' || n || ' crowd' from generate_series(1, 1500) n`,
      [user_id, deploy?.deploy_id ?? ''],
    );
    expect((await searchAgents(ben, { q: 'crowd', limit: 3 })).map((a) => a.name)).toEqual(['crowd-1500', 'crowd-1499', 'crowd-1498']);
    expect((await searchAgents(ben, { q: 'crowd-7', limit: 3 })).map((a) => a.name)[0]).toBe('crowd-7');
  });

  test("tags and skills narrow; other people's unlisted agents never show", async () => {
    const tagged = await searchAgents(ben, { q: '', tag: ['web', 'data'], limit: 8 });
    expect(tagged.map((a) => a.name)).toEqual(['weather']);
    const skilled = await searchAgents(ben, { q: '', skill: 'expand', limit: 8 });
    expect(skilled.map((a) => a.name)).toEqual(['url-shortener']);
    expect((await searchAgents(ada, { q: 'weather', limit: 8 })).map((a) => a.name)).toContain('weather-private');
    expect((await searchAgents(ben, { q: 'weather', limit: 8 })).map((a) => a.name)).not.toContain('weather-private');
  });
});
