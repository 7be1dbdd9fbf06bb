// Mallory is an admin of an organization of which Ada is a member. He connects an identity provider that he
// runs, and lets it say that Ada is at his browser. Ada has an account of her own, and owns another
// organization: by the word of his provider he gets into neither, and takes nothing along that lasts longer.
// What each operation says to such a session, and what agents see of it: provider-session.test.ts.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { invitationToken } from '#core/orgs/member/token.ts';
import { CLIENT } from '../support/identity-providers.ts';
import type { Answer, SsoBrowser } from '../support/sso.ts';
import { addAgent, type TestAgent } from '../support/verbs.ts';
import { actingFor, ADAS, bearer, LIMITED, type Mallory, MALLORYS, mallorysProvider, me, ONLY_HIS } from './mallorys-provider.ts';

let it: Mallory;
/** Of his organization. */
let agent: TestAgent;
/** Of somebody else. */
let others: { organization_id: string };
beforeAll(async () => {
  it = await mallorysProvider();
  others = await it.world.as('operator').organizations.create({ body: { slug: 'others-co', name: 'Others' } });
  agent = await addAgent(it.db, it.organizationId, { live: true });
});
afterAll(() => it.close());
beforeEach(() => it.begin());

test('the session is hers, and acts for his organization only', async () => {
  const session = await it.asAda();
  expect(await me(session)).toMatchObject({ status: 200, body: { user_id: it.ada.user_id, operator: false, acts_only_for: ONLY_HIS } });
  expect(await session.send('GET', '/v1/auth/session')).toMatchObject({ status: 200, body: { authenticated: true, acts_only_for: ONLY_HIS } });
  expect(await session.send('GET', '/v1/agents/mine', actingFor(MALLORYS))).toMatchObject({ status: 200, body: [{ name: agent.name }] });
  // Where it does not say for whom, it is his organization too: her own agents are never looked at.
  expect(await session.send('GET', '/v1/agents/mine')).toMatchObject({ status: 200, body: [{ name: agent.name }] });
  expect(await session.send('GET', '/v1/agents/mine', actingFor(ADAS))).toMatchObject(LIMITED);
  expect(await session.send('GET', `/v1/me/organizations/${ADAS}`)).toMatchObject(LIMITED);
  const listed = await session.send('GET', '/v1/me/organizations');
  expect(
    z
      .object({ items: z.array(z.looseObject({ slug: z.string() })) })
      .parse({ ...Object(listed.body) })
      .items.map(({ slug }) => slug),
  ).toEqual([MALLORYS]);
  // He makes himself no admin of her organization, and gives it no provider of his.
  const invites = await session.send('POST', `/v1/me/organizations/${ADAS}/members`, { body: { email: 'm@mallory.example', role: 'admin' } });
  expect(invites).toMatchObject(LIMITED);
  const body = { issuer: it.evil.issuer, ...CLIENT, domains: ['mallory.example'] };
  expect(await session.send('PUT', `/v1/me/organizations/${ADAS}/sso`, { body })).toMatchObject(LIMITED);
  // Whether she is a member elsewhere, or whether there is such an organization, it does not learn.
  const said = (answer: Answer): string => JSON.stringify(answer.body).replace(/"request_id":"[^"]*"/, '');
  for (const path of ['/v1/agents/mine', '/v1/me/organizations/SLUG']) {
    const ask = (slug: string) => session.send('GET', path.replace('SLUG', slug), path.includes('SLUG') ? {} : actingFor(slug));
    expect(said(await ask('nobody-co'))).toBe(said(await ask(ADAS)));
  }
});

test('what belongs to her is not changed by it: other sessions, organizations, invitations, mail', async () => {
  const [session, own] = [await it.asAda(), await it.hers()];
  const tries: [string, string, object?][] = [
    ['POST', '/v1/me/organizations', { slug: 'in-her-name', name: 'In her name' }],
    ['POST', '/v1/me/organization-invitations/accept', { token: await invited(it.ada.email) }],
    ['GET', '/v1/me/organization-invitations'],
    ['GET', '/v1/me/notifications'],
    ['PUT', '/v1/me/notifications', { mail: false }],
    ['PATCH', '/v1/me/onboarding', { dismissed: true }],
  ];
  for (const [method, path, body] of tries) {
    const answer = await session.send(method, path, body === undefined ? {} : { body });
    expect([method, path, answer]).toEqual([method, path, expect.objectContaining(LIMITED)]);
  }
  const other = await it.asAda();
  expect(await session.send('POST', '/v1/auth/logout?everywhere=true')).toMatchObject({ status: 200, body: { signed_out: true } });
  expect((await me(other)).status).toBe(401);
  expect(await me(own)).toMatchObject({ status: 200, body: { acts_only_for: null } });
});

/** To an organization of somebody else, whose link came by mail: its token. */
async function invited(email: string): Promise<string> {
  const { organization_id } = others;
  const [now, member_id] = [new Date(), newId('mem')];
  const open = { member_id, organization_id, email: email.toLowerCase(), role: 'admin' as const, state: 'invited' as const, source: 'person' as const };
  await it.db('organization_members').insert({ ...open, expires_at: new Date(now.getTime() + 86_400_000), created_at: now, updated_at: now });
  const row = await it.db('organization_members').where({ member_id }).first();
  if (!row) throw new Error('no invitation');
  return invitationToken(it.world.ctx, row);
}

/** A link that signs a browser in, made by this token. */
async function linkBy(token: string): Promise<string> {
  const { body } = await it.browser().send('POST', '/v1/auth/cli-session', { ...bearer(token), body: {} });
  return `/v1/auth/cli-session/redeem${new URL(z.looseObject({ redeem_url: z.string() }).parse(body).redeem_url).search}`;
}

test('what it signs in acts for no more, and for no longer', async () => {
  const program = await it.browser().programToken(MALLORYS);
  expect(await me(it.browser(), bearer(program))).toMatchObject({ status: 200, body: { acts_only_for: ONLY_HIS } });
  const asked = { headers: { ...bearer(program).headers, ...actingFor(ADAS).headers } };
  expect(await it.browser().send('GET', '/v1/agents/mine', asked)).toMatchObject(LIMITED);
  const opened = it.browser();
  expect(await opened.send('GET', await linkBy(program))).toMatchObject({ status: 200 });
  expect(await opened.send('POST', '/v1/auth/cli-session/confirm')).toMatchObject({ status: 200 });
  expect(await me(opened)).toMatchObject({ status: 200, body: { acts_only_for: ONLY_HIS } });
  expect(await opened.send('GET', '/v1/agents/mine', actingFor(ADAS))).toMatchObject(LIMITED);
  // Sent to Ada, it does not turn her session into one that works for him unasked.
  const own = await it.hers();
  expect(await own.send('GET', await linkBy(program))).toMatchObject({ body: { confirm: true } });
  expect(await me(own)).toMatchObject({ body: { acts_only_for: null } });
  // All end with the hours of the sign-in.
  const rows = await it.db('web_sessions').whereNotNull('sso_connection_id').select('expires_at', 'signed_in_at');
  expect(rows.length).toBeGreaterThan(0);
  for (const { expires_at, signed_in_at } of rows) expect(expires_at.getTime() - (signed_in_at?.getTime() ?? 0)).toBe(12 * 3_600_000);
});

test('his provider links nothing: only she does, freshly signed in without it; what was signed in before stays as it was', async () => {
  const session = await it.asAda();
  const refused = { status: 403, code: 'fresh_sign_in_required' };
  expect(await session.link(MALLORYS)).toMatchObject(refused);
  // Nor a session of hers in which she has not just signed in.
  expect(await (await it.hers({ fresh: false })).link(MALLORYS)).toMatchObject(refused);
  const own = await it.hers();
  expect(await own.link(MALLORYS)).toMatchObject({ status: 200, body: { user: { user_id: it.ada.user_id } } });
  expect(await me(own)).toMatchObject({ body: { acts_only_for: null } });
  expect(await me(session)).toMatchObject({ body: { acts_only_for: ONLY_HIS } });
  expect(await session.send('GET', '/v1/agents/mine', actingFor(ADAS))).toMatchObject(LIMITED);
  // From now on, by her own will, the provider opens her account.
  const next = await it.asAda();
  expect(await me(next)).toMatchObject({ body: { acts_only_for: null } });
  expect(await next.send('GET', '/v1/agents/mine', actingFor(ADAS))).toMatchObject({ status: 200 });
  // Not the rights of an operator, and no further link.
  await it.db('users').where({ user_id: it.ada.user_id }).update({ operator: true });
  expect(await next.send('GET', '/v1/admin/users')).toMatchObject({ status: 403, code: 'wrong_scope' });
  expect(await me(next)).toMatchObject({ body: { operator: false } });
  await it.db('users').where({ user_id: it.ada.user_id }).update({ operator: false });
  expect(await next.link(MALLORYS)).toMatchObject(refused);
  // Another person of his provider is not whom she linked.
  it.evil.person = { ...it.evil.person, sub: 'ada the second' };
  expect(await it.browser().signIn(MALLORYS)).toMatchObject({ status: 409, code: 'sso_identity_taken' });
});

test('she takes the link back: what it opened is closed', async () => {
  const own = await it.hers();
  const path = `/v1/me/organizations/${MALLORYS}/sso`;
  expect(await own.send('DELETE', `${path}/link`)).toMatchObject({ status: 404, code: 'sso_not_linked' });
  expect(await (await it.hers()).link(MALLORYS)).toMatchObject({ status: 200 });
  expect(await own.send('GET', path)).toMatchObject({ status: 200, body: { linked_at: expect.any(String) } });
  const [opened, program] = [await it.asAda(), await it.browser().programToken(MALLORYS)];
  const link = await linkBy(program);
  // However the organization wants its members to sign in.
  await it.db('sso_connections').where({ organization_id: it.organizationId }).update({ required: true });
  expect(await own.send('DELETE', `${path}/link`)).toMatchObject({ status: 204 });
  expect((await me(opened)).status).toBe(401);
  // What was about to be signed in by it is over, too.
  expect(await it.browser().send('GET', link)).toMatchObject({ status: 410, code: 'code_gone' });
  const session = await it.asAda();
  expect(await me(session)).toMatchObject({ body: { acts_only_for: ONLY_HIS } });
  expect(await session.send('DELETE', `${path}/link`)).toMatchObject(LIMITED);
  await it.db('sso_connections').where({ organization_id: it.organizationId }).update({ required: false });
});

test('removed, and invited again: she has linked nothing', async () => {
  expect(await (await it.hers()).link(MALLORYS)).toMatchObject({ status: 200 });
  const [next, link] = [await it.asAda(), await linkBy(await it.browser().programToken(MALLORYS))];
  const { organizations } = it.world.as('ben');
  await organizations.removeMember({ params: { slug: MALLORYS, member_id: it.memberId } });
  expect((await me(next)).status).toBe(401);
  expect(await it.browser().send('GET', link)).toMatchObject({ status: 410 });
  await organizations.invite({ params: { slug: MALLORYS }, body: { email: it.evil.person.email ?? '', role: 'developer' } });
  const again = await it.asAda();
  expect(await me(again)).toMatchObject({ body: { acts_only_for: ONLY_HIS } });
  expect(await again.send('GET', '/v1/agents/mine', actingFor(ADAS))).toMatchObject(LIMITED);
});

test('made an owner, she comes in by her own proof: what the provider signed in before ends', async () => {
  const [session, program] = [await it.asAda(), await it.browser().programToken(MALLORYS)];
  await it.world.as('ben').organizations.updateMember({ params: { slug: MALLORYS, member_id: it.memberId }, body: { role: 'owner' } });
  expect((await me(session)).status).toBe(401);
  expect((await me(it.browser(), bearer(program))).status).toBe(401);
  expect(await it.browser().signIn(MALLORYS)).toMatchObject({ status: 403, code: 'sso_link_first' });
  expect(await (await it.hers()).link(MALLORYS)).toMatchObject({ status: 200 });
  expect(await me(await it.asAda())).toMatchObject({ body: { acts_only_for: null } });
});

test('a provider that is removed or replaced takes along all that it signed in, and what was under way', async () => {
  const codeFor = async (session: SsoBrowser): Promise<string> => {
    const { body } = await session.send('GET', `/v1/auth/agent-session/authorize?agent=${agent.name}`);
    return new URL(z.looseObject({ url: z.string() }).parse(body).url).searchParams.get('code') ?? '';
  };
  const exchange = (code: string) => it.world.as().auth.exchangeAgentSession({ body: { agent: agent.name, code } });
  for (const change of [() => it.sso.remove({ params: { slug: MALLORYS } }), () => it.connect({ client_id: 'svc-2' })]) {
    await it.connect();
    const [session, program] = [await it.asAda(), await it.browser().programToken(MALLORYS)];
    const atAgent = (await exchange(await codeFor(session))).access_token;
    for (const token of [program, atAgent]) expect(await me(it.browser(), bearer(token))).toMatchObject({ body: { acts_only_for: ONLY_HIS } });
    const [code, link] = [await codeFor(session), await linkBy(program)];
    await change();
    // Written by a process that had not heard of it.
    const late = newPlatformToken();
    const facts = { token_id: newId('tok'), token_hash: hashSecret(late), kind: 'user' as const, user_id: it.ada.user_id, label: 'late' };
    await it.db('platform_tokens').insert({ ...facts, signed_in_at: new Date(), sso_connection_id: newId('sso') });
    expect((await me(session)).status).toBe(401);
    for (const token of [program, atAgent, late]) expect((await me(it.browser(), bearer(token))).status).toBe(401);
    await expect(exchange(code)).rejects.toMatchObject({ status: 410 });
    expect(await it.browser().send('GET', link)).toMatchObject({ status: 410 });
  }
});

test('the address of a stranger makes an account that is in his organization and nowhere else', async () => {
  it.evil.person = { sub: 'eve', email: 'eve@mallory.example', email_verified: true };
  const eve = it.browser();
  expect(await eve.signIn(MALLORYS)).toMatchObject({ status: 200 });
  expect(await me(eve)).toMatchObject({ body: { email: 'eve@mallory.example', acts_only_for: ONLY_HIS } });
  expect(await eve.send('GET', '/v1/agents/mine')).toMatchObject({ status: 200, body: [{ name: agent.name }] });
  // Others have invited the real Eve.
  const token = await invited('eve@mallory.example');
  expect(await eve.send('POST', '/v1/me/organization-invitations/accept', { body: { token } })).toMatchObject(LIMITED);
  expect(await eve.send('POST', '/v1/me/organizations', { body: { slug: 'eves-own', name: 'Eve' } })).toMatchObject(LIMITED);
  expect(await eve.link(MALLORYS)).toMatchObject({ status: 403, code: 'fresh_sign_in_required' });
  // Once removed, there is nothing left for which it acts.
  const row = await it.db('organization_members').where({ organization_id: it.organizationId, email: 'eve@mallory.example' }).first('member_id');
  await it.world.as('ben').organizations.removeMember({ params: { slug: MALLORYS, member_id: row?.member_id ?? '' } });
  expect((await me(eve)).status).toBe(401);
  expect(await it.browser().signIn(MALLORYS)).toMatchObject({ status: 403, code: 'sso_not_a_member' });
});
