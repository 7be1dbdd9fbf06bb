// A session that an organization's provider made, at every operation with what is Ada's, and at agents' own
// addresses: she is asked for, and not let in. The operations are the contract's own: a new route is walked
// without a line here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAdmit } from '#api/ingress/admit.ts';
import { agentSessions } from '#api/ingress/agent-sessions.ts';
import { ADMITS } from '#api/http/scopes.ts';
import { locate } from '#contract/kit.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { callRoute } from '../api/call.ts';
import { hidesRecords, refusalIn } from '../api/refusal.ts';
import { isHead } from '../api/walk.ts';
import { open, ROUTES } from '../api/world.ts';
import { addAgent } from '../support/verbs.ts';
import { liveAgent } from '../support/runs.ts';
import { accessTokens } from './attackers.ts';
import { marksOf, rowsNaming, shownIn, textOf, withoutCodes } from './marks.ts';
import { ADAS, bearer, type Mallory, MALLORYS, mallorysProvider, me, ONLY_HIS } from './mallorys-provider.ts';

let it: Mallory;
/** As the tool has it. */
let token: string;
let marks: string[];
let before: Map<string, number>;
beforeAll(async () => {
  it = await mallorysProvider({ accessTokens });
  await it.begin();
  token = await it.browser().programToken(MALLORYS);
  await withoutCodes(it.world);
  // Who she is, his provider said itself.
  marks = marksOf(it.world).filter((mark) => mark !== it.ada.user_id);
  before = await rows();
});
afterAll(() => it.close());

const by = (secret?: string) => ({ ...(secret === undefined ? { headers: {} } : bearer(secret)), headersDistinct: {} });
const rows = () => rowsNaming(it.db, [it.ada.user_id, it.world.records['name'] ?? '']);
const forPeople = ROUTES.filter(({ spec }) => !open(spec.scope) && (ADMITS[spec.scope] as readonly string[]).includes('user'));
test('as it is, it reads nothing of hers', async () => {
  const wrong: unknown[] = [];
  for (const route of ROUTES) {
    const response = await callRoute(it.world, route, undefined, { token });
    const text = await textOf(response);
    const shown = response.ok ? shownIn(it.world, marks, text + [...response.headers.values()].join(), route.id) : [];
    // What is not hers to see does not exist; an organization other than his is refused, there or not.
    const told = isHead(route) || response.ok ? undefined : refusalIn(response, text);
    const hidden = !hidesRecords(route) || isHead(route) || told?.status === 404 || told?.code === 'sso_limited';
    const operates = route.spec.scope === 'operator' && response.status !== 403;
    if (response.status === 500 || shown.length > 0 || !hidden || operates) wrong.push([route.id, response.status, told?.code, shown]);
  }
  expect(wrong).toEqual([]);
});

test('for her organization, as for any other than his, it does nothing', async () => {
  const asked = forPeople.filter(({ spec }) => !spec.personal && spec.scope !== 'operator');
  expect(asked.length).toBeGreaterThan(200);
  const wrong: unknown[] = [];
  for (const route of asked) {
    const response = await callRoute(it.world, route, undefined, { token, headers: { 'svc-organization': ADAS } });
    const text = await textOf(response);
    const code = isHead(route) ? 'sso_limited' : response.status === 403 ? refusalIn(response, text).code : text;
    if (response.status !== 403 || code !== 'sso_limited') wrong.push([route.id, response.status, code]);
  }
  expect(wrong).toEqual([]);
});

test('nothing of hers was changed by any of it, and what was made is of his organization', async () => {
  const after = await rows();
  expect([...before.keys()].filter((row) => !after.has(row) && !row.startsWith('sso_'))).toEqual([]);
  const made = [...after.keys()].filter((row) => !before.has(row));
  const connection = (await it.db('sso_connections').where({ organization_id: it.organizationId }).first('connection_id'))?.connection_id ?? '';
  expect(made.filter((row) => !row.includes(it.organizationId) && !row.includes(connection))).toEqual([]);
});

// A walk in which everything were refused proves nothing.
test('for his organization it works', async () => {
  const own = forPeople.filter(({ spec }) => !spec.personal && locate(spec).method === 'GET' && spec.params === undefined && spec.scope !== 'operator');
  const answers: string[] = [];
  for (const route of own) {
    const response = await callRoute(it.world, route, undefined, { token, headers: { 'svc-organization': MALLORYS } });
    const text = await textOf(response);
    answers.push(response.ok ? 'ok' : (refusalIn(response, text).code ?? ''));
  }
  expect(answers).not.toContain('sso_limited');
  expect(answers.filter((one) => one === 'ok').length).toBeGreaterThan(20);
});

describe('at agents', () => {
  const over = async (session: Awaited<ReturnType<Mallory['asAda']>>, name: string) => session.send('GET', `/v1/auth/agent-session/authorize?agent=${name}`);

  test('her own, and those of others whom everybody may call, are not told that it is she', async () => {
    const session = await it.asAda();
    const others = await addAgent(it.db, (await it.world.as('ben').auth.me()).user_id, { live: true, visibility: 'public' });
    for (const name of [it.world.records['name'] ?? '', others.name]) {
      expect(await over(session, name)).toMatchObject({ status: 404, code: 'agent_not_found' });
      await expect(it.world.as().auth.exchangeAgentSession({ body: { agent: name, code: 'A'.repeat(43) } })).rejects.toMatchObject({ status: 403 });
    }
    // Nor does it say yes for her to what her own session would be asked.
    await over(await it.hers(), others.name);
    expect(await it.db('agent_consents').where({ user_id: it.ada.user_id })).toEqual([]);
  });

  test('those of his organization see its member, and no account of hers', async () => {
    const session = await it.asAda();
    const { db, drivers, clock, config } = it.world.ctx;
    const sessions = agentSessions(it.world.ctx);
    const admit = createAdmit({ config, issuer: it.evil.issuer }, { authenticate: createAuthenticator({ db, vault: drivers.vault, clock, accessTokens }) });
    for (const visibility of ['unlisted', 'public'] as const) {
      const agent = await liveAgent(it.world.ctx, it.organizationId, { visibility });
      const { body } = await over(session, agent.name);
      const code = new URL(z.looseObject({ url: z.string() }).parse(body).url).searchParams.get('code') ?? '';
      const { access_token } = await it.world.as().auth.exchangeAgentSession({ body: { agent: agent.name, code } });
      const route = await resolveRoute(it.world.ctx, agent.name);
      const visitor = (await sessions.find(agent.id, access_token))?.visitor;
      const visit = { request: by(), site: { agentName: agent.name, origin: '' }, route, path: '/', integrationToken: undefined };
      const member = { kind: 'user', user_id: it.organizationId, limited_to: it.organizationId, member: { person_id: it.ada.user_id } };
      expect((await admit({ ...visit, visitor })).actor).toMatchObject(member);
      expect((await admit({ ...visit, request: by(access_token), visitor: undefined })).actor).toMatchObject(member);
      expect(await me(it.browser(), bearer(access_token))).toMatchObject({ status: 200, body: { acts_only_for: ONLY_HIS } });
      // Its role there may be too little for a call: then it is anybody.
      await db('organization_members').where({ member_id: it.memberId }).update({ role: 'auditor' });
      const weak = (await sessions.find(agent.id, access_token))?.visitor;
      const call = async () => (await admit({ ...visit, visitor: weak })).actor.kind;
      if (visibility === 'public') expect(await call()).toBe('anonymous');
      else await expect(call()).rejects.toMatchObject({ code: 'agent_not_found' });
      await db('organization_members').where({ member_id: it.memberId }).update({ role: 'admin' });
    }
  });

  test("by the tool's token too: her own agent does not exist, his is the organization's", async () => {
    const { db, drivers, clock, config } = it.world.ctx;
    const admit = createAdmit({ config, issuer: it.evil.issuer }, { authenticate: createAuthenticator({ db, vault: drivers.vault, clock, accessTokens }) });
    const mine = await liveAgent(it.world.ctx, it.ada.user_id, {});
    const his = await liveAgent(it.world.ctx, it.organizationId, {});
    const at = async (name: string) => {
      const route = await resolveRoute(it.world.ctx, name);
      return admit({ request: by(token), site: { agentName: name, origin: '' }, route, path: '/', integrationToken: undefined, visitor: undefined });
    };
    await expect(at(mine.name)).rejects.toMatchObject({ code: 'agent_not_found' });
    expect((await at(his.name)).actor).toMatchObject({ user_id: it.organizationId, member: { person_id: it.ada.user_id } });
  });

  test('a session from before, at an agent of hers, is over', async () => {
    const [connection, agent] = [await it.db('sso_connections').where({ organization_id: it.organizationId }).first(), await addAgent(it.db, it.ada.user_id)];
    const [old, now] = [newPlatformToken(), new Date()];
    const facts = { token_id: newId('tok'), token_hash: hashSecret(old), kind: 'agent_session' as const, user_id: it.ada.user_id, agent_id: agent.id };
    const proof = { signed_in_at: now, sso_connection_id: connection?.connection_id ?? '' };
    await it.db('platform_tokens').insert({ ...facts, ...proof, label: 'old', expires_at: new Date(now.getTime() + 3_600_000) });
    expect(await agentSessions(it.world.ctx).find(agent.id, old)).toBeUndefined();
    expect((await me(it.browser(), bearer(old))).status).toBe(401);
  });
});
