// Somebody owns an agent, and is called by people: what they learn of a caller there is worth nothing
// elsewhere, and nobody passes for somebody else.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HEADER } from '#contract/wire/headers.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { giveCallerScopes } from '#core/agents/caller-scopes/give.ts';
import { withdrawCallerScopes } from '#core/agents/caller-scopes/withdraw.ts';
import { invokeSkill } from '#test/support/calls.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { callerOf, callingAt, callingOf } from '#core/runs/run/caller.ts';
import { actingAs, freeSeats, joined, testOrganization } from '#core/orgs/test/organization.ts';
import { newId } from '#core/kernel/ids.ts';
import { Agent, AuthError, type AuthRequest, JWTAuth, PlatformUserAuth, PlatformUserAuthResolver, skill } from '#sdk/typescript/index.ts';
import { startAgent } from '#sdk/typescript/runtime.ts';
import { KEY, openWorld, saying, type Seen, type World } from '../callers/world.ts';
import type { TestUser } from '../support/context.ts';
import { runOf, type LiveAgent } from '../support/runs.ts';

/** Headers of each request to the attacker's agent. */
const heard: AuthRequest['headers'][] = [];

abstract class Says extends Agent {
  override name = 'says';
  override description = 'Says who calls it';
  override version = '1.0.0';
  who = skill({}, async ({ auth, caller }) => saying({ auth, caller: caller && { ...caller } }));
  admin = skill({ scopes: ['admin'] }, async ({ auth, caller }) => saying({ auth, caller: caller && { ...caller } }));
}
class Notes extends Says {
  override authModel = PlatformUserAuth;
  override authResolver = new PlatformUserAuthResolver();
}
class Eves extends Notes {
  override authResolver = {
    resolve(request: AuthRequest) {
      heard.push(request.headers);
      return { sub: 'x' };
    },
  } as unknown as PlatformUserAuthResolver; // another resolver in its place
}
class Own extends Says {
  override authModel = JWTAuth;
  override authResolver = {
    resolve() {
      throw new AuthError('send your token');
    },
  };
}

let w: World;
let [ada, ben, eve]: TestUser[] = [];
let [notes, second, own, eves]: LiveAgent[] = [];
const people = () => {
  if (!ada || !ben || !eve) throw new Error('nobody is there');
  return { ada, ben, eve };
};
const served = () => {
  if (!notes || !second || !own || !eves) throw new Error('nothing is served');
  return { notes, second, own, eves };
};

beforeAll(async () => {
  w = await openWorld();
  [ada, ben, eve] = [await w.t.user('ada'), await w.t.user('ben'), await w.t.user('eve')];
  const start =
    (of: new () => Agent, key = KEY) =>
    (listen: { path: string }) =>
      startAgent(of, { apiKey: key, listen, onLog: () => undefined });
  notes = await w.serve(ada, start(Notes));
  second = await w.serve(ada, start(Notes));
  own = await w.serve(ada, start(Own));
  eves = await w.serve(eve, start(Eves));
});
afterAll(() => w.close());

/** What a run of `agent` sees at `at`, calling by the API and at the host with its run credential. */
async function called(agent: LiveAgent, user: TestUser | null, at: LiveAgent, name = 'who', chain = [`${agent.name}/work`]): Promise<(Seen | undefined)[]> {
  const run = runOf(w.t.ctx, agent, user?.actor.user_id ?? null, { chain });
  const byApi = await invokeSkill(run, { name: at.name, skill_name: name, args: {}, accept: undefined, signal: new AbortController().signal }).then(
    ({ body }) => seenIn(JSON.stringify(body)),
    () => undefined,
  );
  const token = await mintRunCredential(w.t.ctx.drivers.vault, run.actor, Date.now() + 60_000);
  const atHost = await w.ways.host({ agent: at, skill: name, headers: { authorization: `Bearer ${token}` } });
  return [byApi, atHost.seen];
}

function seenIn(text: string): Seen | undefined {
  const said = /seen:([\w-]+);/.exec(text)?.[1];
  return said === undefined ? undefined : (JSON.parse(Buffer.from(said, 'base64url').toString()) as Seen);
}

test('an agent that a person calls cannot go on as that person: its own name is told, with theirs behind it, and no scope', async () => {
  const { ada: victim, eve: attacker } = people();
  const { notes: target, own: closed, eves: hers } = served();
  const person = { sub: victim.actor.user_id, email: victim.actor.email };
  for (const seen of await called(hers, victim, target))
    expect(seen).toMatchObject({
      auth: { sub: `agent:${hers.name}`, userId: null, email: null, scopes: [] },
      caller: { kind: 'agent', trusted: false, scopes: [], agent: hers.name, onBehalfOf: person },
    });
  // The victim owns the target and has its scopes; what they call has them not.
  expect(await called(hers, victim, target, 'admin')).toEqual([undefined, undefined]);
  expect(await called(hers, victim, closed)).toEqual([undefined, undefined]);
  expect(await called(hers, attacker, target, 'admin')).toEqual([undefined, undefined]);
});

test('nor by way of an agent that the person trusts', async () => {
  const { ada: victim } = people();
  const { notes: target, second: between, eves: hers, own: closed } = served();
  const chain = [`${hers.name}/work`, `${between.name}/work`];
  for (const seen of await called(between, victim, target, 'who', chain))
    expect(seen).toMatchObject({
      caller: { kind: 'agent', sub: `agent:${between.name}`, scopes: [], trusted: false, onBehalfOf: { sub: victim.actor.user_id } },
    });
  expect(await called(between, victim, target, 'admin', chain)).toEqual([undefined, undefined]);
  expect(await called(between, victim, closed, 'who', chain)).toEqual([undefined, undefined]);
  // An agent that is gone is nobody's.
  expect(await called(between, victim, target, 'admin', ['gone/work', `${between.name}/work`])).toEqual([undefined, undefined]);
});

test("agents of one owner say on whose behalf they call, with that person's scopes; a person's own agent speaks for them", async () => {
  const { ada: owner, ben: stranger, eve: author } = people();
  const { notes: target, second: between, eves: hers, own: closed } = served();
  for (const seen of await called(between, stranger, target))
    expect(seen).toMatchObject({ auth: { sub: stranger.actor.user_id, scopes: [] }, caller: { kind: 'user', agent: between.name, trusted: false } });
  expect(await called(between, stranger, target, 'admin')).toEqual([undefined, undefined]);
  for (const seen of await called(between, owner, target, 'admin')) expect(seen).toMatchObject({ auth: { sub: owner.actor.user_id, scopes: ['admin'] } });
  for (const seen of await called(between, owner, closed)) expect(seen).toMatchObject({ auth: { sub: owner.actor.user_id }, caller: { agent: between.name } });
  for (const seen of await called(hers, author, target))
    expect(seen).toMatchObject({ auth: { sub: author.actor.user_id }, caller: { agent: hers.name, scopes: [] } });
  // Nobody signed in called it.
  for (const seen of await called(between, null, target))
    expect(seen).toMatchObject({ caller: { kind: 'agent', sub: `agent:${between.name}`, onBehalfOf: null, scopes: [] } });
});

test('what the attacker’s agent was told is refused at another agent, for another run, and from outside in every spelling', async () => {
  const { ada: victim, ben: stranger } = people();
  const { notes: target, eves: hers } = served();
  await w.ways.host({ by: victim, agent: hers, skill: 'who' });
  const got = heard.at(-1) ?? {};
  const stolen = String(got[HEADER.caller]);
  expect(stolen).toMatch(/^[\w-]+\.[\w-]{43}$/);
  // No credential of the platform is in it, nor beside it.
  expect(Buffer.from(stolen.split('.')[0] ?? '', 'base64url').toString()).not.toMatch(/svc_|Bearer/);
  expect(
    Object.entries(got)
      .filter(([name]) => name !== HEADER.runToken && name !== 'authorization')
      .join(' '),
  ).not.toContain('svc_tok');
  const plain = {
    [HEADER.userId]: victim.actor.user_id,
    [HEADER.userSub]: victim.actor.user_id,
    [HEADER.userScopes]: 'admin',
    [HEADER.runId]: String(got[HEADER.runId]),
  };
  for (const spelled of [
    (name: string) => name,
    (name: string) => name.toUpperCase(),
    (name: string) => name.replaceAll('-', '_'),
    (name: string) => name.replace('-', '.'),
  ]) {
    const headers = Object.fromEntries(Object.entries({ ...plain, [HEADER.caller]: stolen }).map(([name, value]) => [spelled(name), value]));
    for (const way of ['host', 'host mcp', 'a2a', 'ag-ui'] as const) {
      expect((await w.ways[way]({ agent: target, skill: 'who', headers })).seen, way).toBeUndefined();
      const { seen } = await w.ways[way]({ by: stranger, agent: target, skill: 'who', headers });
      expect(seen, way).toMatchObject({ auth: { sub: stranger.actor.user_id, scopes: [] }, caller: { sub: stranger.actor.user_id, trusted: false } });
    }
  }
});

test('a token has the scopes of the skills that it was given, and a link too', async () => {
  const { ada: owner } = people();
  const { notes: target } = served();
  const make = async (skills: string[] | null): Promise<string> => {
    const secret = `svc_${randomUUID()}`;
    await w.t.ctx.db('platform_tokens').insert({
      token_id: newId('tok'), token_hash: hashSecret(secret), kind: 'agent_api', agent_id: target.id, user_id: owner.actor.user_id, label: 'a program', skills,
      expires_at: new Date(Date.now() + 60_000),
    }); // prettier-ignore
    return secret;
  };
  const by = (token: string, name: string) => w.ways.host({ agent: target, skill: name, headers: { authorization: `Bearer ${token}` } });
  const [all, one] = [await make(null), await make(['who'])];
  expect((await by(all, 'admin')).seen).toMatchObject({ auth: { sub: expect.stringMatching(/^token:/), userId: null, email: null, scopes: ['admin'] } });
  expect((await by(one, 'who')).seen).toMatchObject({ caller: { kind: 'token', scopes: [] } });
  expect((await by(one, 'admin')).seen).toBeUndefined();
});

test('members have the scopes of their organization’s agents by their role, whoever they act for; others none', async () => {
  const acme = await testOrganization(w.t);
  await freeSeats(w.t.ctx, 10);
  const [developer, billing] = [await joined(w.t, acme, 'developer'), await joined(w.t, acme, 'billing')];
  const agent = await w.serve(acme.owner, (listen) => startAgent(Notes, { apiKey: KEY, listen, onLog: () => undefined }));
  await w.t.ctx.db('agents').where({ agent_id: agent.id }).update({ owner_id: acme.id });
  const scopesOf = async (user: TestUser) => (await w.ways.host({ by: user, agent, skill: 'who' })).seen?.caller;
  expect(await scopesOf(developer)).toMatchObject({ scopes: ['admin'], trusted: true, orgId: acme.id, orgSlug: acme.slug });
  expect(await scopesOf(billing)).toMatchObject({ scopes: [], trusted: false, orgSlug: acme.slug });
  expect(await scopesOf(people().ben)).toMatchObject({ scopes: [], trusted: false, orgId: null });
  expect((await w.ways.api({ by: await actingAs(developer, acme.slug), agent, skill: 'admin' })).seen).toMatchObject({
    auth: { sub: developer.actor.user_id, email: developer.actor.email, orgSlug: acme.slug, scopes: ['admin'] },
  });
});

test('a mail is told by its sender, not by the account that it works for, and so are the calls that it makes', async () => {
  const { ada: owner } = people();
  const { second: box, notes: target } = served();
  const run = runOf(w.t.ctx, box, owner.actor.user_id, { chain: [`${box.name}/on_email`] });
  expect(await callerOf(w.t.ctx.db, callingOf(run.actor))).toMatchObject({ kind: 'mail', user_id: null, scopes: [], trusted: false });
  for (const seen of await called(box, owner, target, 'who', [`${box.name}/on_email`]))
    expect(seen).toMatchObject({ caller: { kind: 'agent', sub: `agent:${box.name}`, userId: null, scopes: [], onBehalfOf: null } });
  expect(await called(box, owner, target, 'admin', [`${box.name}/on_email`])).toEqual([undefined, undefined]);
});

test('an account has the scopes that the owner gave it, and no other account of the same address', async () => {
  const { ada: owner, ben: friend } = people();
  const { notes: target, own: closed } = served();
  const twin = await w.t.user('twin');
  await w.t.ctx.db('users').where({ user_id: twin.actor.user_id }).update({ email: friend.actor.email });
  const admin = (by: TestUser) => w.ways.host({ by, agent: target, skill: 'admin' });
  expect((await admin(friend)).seen).toBeUndefined();
  const gone = { name: target.name, account: friend.actor.email, scopes: ['admin', 'undeclared'] };
  expect(await giveCallerScopes(owner, gone)).toMatchObject({ account_id: friend.actor.user_id });
  expect((await admin(friend)).seen).toMatchObject({ auth: { sub: friend.actor.user_id, scopes: ['admin'] }, caller: { trusted: true } });
  expect((await admin(twin)).seen).toBeUndefined();
  // Now both have called: an address is not enough.
  await expect(giveCallerScopes(owner, gone)).rejects.toMatchObject({ code: 'account_ambiguous' });
  expect((await w.ways.host({ by: friend, agent: closed, skill: 'who' })).seen, 'of another agent').toBeUndefined();
  await withdrawCallerScopes(owner, { name: target.name, account_id: friend.actor.user_id });
  expect((await admin(friend)).seen).toBeUndefined();
});

test('who acts for one organization has no scopes that were given to the person', async () => {
  const acme = await testOrganization(w.t);
  await freeSeats(w.t.ctx, 1_000);
  const member = await joined(w.t, acme, 'developer');
  const agent = served().notes;
  await giveCallerScopes(people().ada, { name: agent.name, account: member.actor.user_id, scopes: ['admin'] });
  const route = { agentId: agent.id, ownerId: people().ada.actor.user_id, deployId: agent.deployId };
  const scopesOf = async (actor: TestUser['actor']) => (await callerOf(w.t.ctx.db, callingAt(route, actor)))?.scopes;
  expect(await scopesOf(member.actor)).toEqual(['admin']);
  expect(await scopesOf((await actingAs(member, acme.slug)).actor)).toEqual([]);
});

test('who acts for an organization is another caller at agents of others than the person: its provider cannot reach what the person keeps there', async () => {
  const acme = await testOrganization(w.t);
  await freeSeats(w.t.ctx, 1_000);
  const [member, colleague] = [await joined(w.t, acme, 'developer'), await joined(w.t, acme, 'developer')];
  const { notes: agent, eves: between } = served();
  const [forAcme, other] = [await actingAs(member, acme.slug), await actingAs(colleague, acme.slug)];
  const own = (await w.ways.host({ by: member, agent, skill: 'who' })).seen?.caller;
  expect(own).toMatchObject({ sub: member.actor.user_id, email: member.actor.email });
  const subs = new Set([own?.sub]);
  for (const by of [forAcme, other]) {
    const { seen } = await w.ways.api({ by, agent, skill: 'who' });
    expect(seen?.caller).toMatchObject({ kind: 'user', userId: null, email: null, orgId: acme.id, orgSlug: acme.slug, scopes: [] });
    expect(seen?.auth).toMatchObject({ sub: seen?.caller?.sub, email: null });
    subs.add(seen?.caller?.sub);
  }
  expect(subs.size).toBe(3);
  // An agent between does not tell more.
  const run = runOf(w.t.ctx, between, acme.id, { person_id: member.actor.user_id, chain: [`${between.name}/work`, 'notes/who'] });
  const behind = (await callerOf(w.t.ctx.db, { ...callingOf(run.actor), ownerId: people().ada.actor.user_id }))?.on_behalf_of;
  expect(behind).toMatchObject({ sub: expect.stringMatching(/^member:/), email: null, user_id: null });
});
