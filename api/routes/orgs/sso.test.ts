// An organization's own sign-in, with a real identity provider: who gets in as whom, and what holds when it
// is required.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { SESSION_COOKIE } from '#core/identity/cookies.ts';
import { createSession } from '#core/identity/session/create.ts';
import { newId } from '#core/kernel/ids.ts';
import { mailOpenings } from '#core/orgs/sso/openings.ts';
import { openMail } from '#drivers/mail/open.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import { inTx } from '#core/kernel/tx.ts';
import { inbox } from '#test/support/mail.ts';
import { CLIENT, realProvider, type TestProvider } from '#test/support/identity-providers.ts';
import { SsoBrowser } from '#test/support/sso.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let provider: TestProvider;
let slug: string;
let organizationId: string;
let count = 0;
const CALLBACKS = Array.from({ length: 40 }, (_, n) => `http://localhost:8080/v1/auth/sso/callback/sso-${n}`);

beforeAll(async () => {
  provider = await realProvider(CALLBACKS);
  world = await createWorld({ ssoLocalHosts: [provider.host] });
});
afterAll(async () => {
  await world.close();
  await provider.close();
});

const ada = () => createClient({ baseUrl: world.url, token: world.tokens.ada });
const db = () => world.ctx.db;
const params = () => ({ slug });
const browser = () => new SsoBrowser(world.url);

async function prove(domain: string, of = organizationId): Promise<string> {
  await db()('organization_domains').insert({ domain_id: newId('dom'), organization_id: of, domain, nonce: 'n', state: 'verified', verified_at: new Date(), checked_at: new Date(), created_at: new Date() }); // prettier-ignore
  return domain;
}

let domain: string;
/** An organization of Ada's with a domain and a connection. */
beforeEach(async () => {
  slug = `sso-${(count += 1)}`;
  ({ organization_id: organizationId } = await world.as('ada').organizations.create({ body: { slug, name: 'Acme' } }));
  domain = await prove(`d${count}.example`);
  await connect();
});

const connect = (more: object = {}) =>
  ada().organizationSso.put({ params: params(), body: { issuer: provider.issuer, ...CLIENT, domains: [domain], ...more } });

async function memberOf(email: string) {
  return db()('organization_members').where({ organization_id: organizationId, email }).first();
}

/** A browser in which this account signed in just now, without an organization. */
async function signedIn(userId: string): Promise<SsoBrowser> {
  const it = browser();
  const { token } = await inTx(world.ctx, (ctx) => createSession(ctx, { userId, replaces: undefined, signedIn: true }));
  it.plant(SESSION_COOKIE, token);
  return it;
}

async function idOf(who: 'ada' | 'ben'): Promise<{ user_id: string; email: string }> {
  return world.as(who).auth.me();
}

/** Signs the owner in by the connection, after they linked themselves. */
async function ownerBySso(): Promise<SsoBrowser> {
  const { user_id } = await idOf('ada');
  const it = await signedIn(user_id);
  provider.person = { sub: `ada-${count}`, email: `ada@${domain}`, email_verified: true };
  const { body } = await it.send('POST', `/v1/me/organizations/${slug}/sso/link`);
  const url = new URL((body as { authorization_url: string }).authorization_url);
  expect(await it.send('GET', await it.atProvider(url))).toMatchObject({ status: 200, body: { user: { user_id } } });
  return it;
}

const acting = (it: SsoBrowser) => it.send('GET', '/v1/agents', { headers: { 'svc-organization': slug } });

test('a connection is shown without its secret; the redirect address is the organization’s own', async () => {
  const shown = await ada().organizationSso.get({ params: params() });
  expect(shown).toMatchObject({
    connection: { issuer: provider.issuer, client_id: 'svc', domains: [{ domain, verified: true }], required: false, session_hours: 12 },
    redirect_uri: `http://localhost:8080/v1/auth/sso/callback/${slug}`,
  });
  expect(JSON.stringify([shown, world.logs])).not.toContain(CLIENT.client_secret);
  const rows = await db()('audit_log').where({ organization_id: organizationId }).select('details');
  expect(JSON.stringify(rows)).not.toContain(CLIENT.client_secret);
});

test('what a connection may not be', async () => {
  const put = (body: object) => connect(body).then(() => 'taken', ({ code }: { code: string }) => code); // prettier-ignore
  expect(await put({ issuer: 'http://10.0.0.1' })).toBe('sso_issuer_refused');
  expect(await put({ issuer: 'https://192.168.1.1' })).toBe('sso_issuer_refused');
  expect(await put({ issuer: 'http://localhost:8080/idp' })).toBe('sso_issuer_refused');
  expect(await put({ issuer: `${provider.issuer}/elsewhere` })).toBe('identity_provider_failed');
  expect(await put({ domains: ['gmail.example'] })).toBe('sso_domain_unproved');
  expect(await put({ client_id: 'another', client_secret: undefined })).toBe('sso_secret_missing');
  expect(await put({ default_role: 'owner' })).toBe('invalid_input');
  // Only the secret is new: the connection stays, and so do its sessions.
  const { connection } = await ada().organizationSso.get({ params: params() });
  expect((await connect({ client_secret: 'rotated' })).connection?.connection_id).toBe(connection?.connection_id);
});

test('whom the organization does not know becomes a member at the first sign-in, and is found by issuer and subject afterwards', async () => {
  provider.person = { sub: 'eve', email: `Eve@${domain}`, email_verified: true };
  const first = browser();
  expect(await first.signIn(slug, { redirect_to: '/agents' })).toMatchObject({
    status: 200,
    body: { redirect_to: '/agents', user: { email: `eve@${domain}` } },
  });
  expect(await memberOf(`eve@${domain}`)).toMatchObject({ role: 'developer', state: 'active', source: 'sso' });
  expect((await acting(first)).status).toBe(200);
  // The address changes, the person does not.
  provider.person = { sub: 'eve', email: `eve.new@${domain}`, email_verified: true };
  const again = await browser().signIn(slug);
  expect(again.body).toMatchObject({ user: { email: `eve.new@${domain}` } });
  expect(await db()('sso_identities').where({ organization_id: organizationId })).toHaveLength(1);
  // By the domain of an address, too.
  const url = await browser().start({ email: `someone@${domain}` });
  expect([url.origin, url.searchParams.get('login_hint'), url.searchParams.get('code_challenge_method')]).toEqual([
    provider.issuer,
    `someone@${domain}`,
    'S256',
  ]);
  const actions = await db()('audit_log').where({ organization_id: organizationId }).pluck('action');
  expect(actions).toEqual(expect.arrayContaining(['organization.sso_connect', 'organization.sso_link', 'organization.sso_sign_in']));
});

test('an invitation is taken with its role; without one, and where none are made, nobody comes in', async () => {
  await connect({ makes_members: false, client_secret: undefined });
  await world.as('ada').organizations.invite({ params: params(), body: { email: `ivy@${domain}`, role: 'auditor' } });
  provider.person = { sub: 'ivy', email: `ivy@${domain}`, email_verified: true };
  expect(await browser().signIn(slug)).toMatchObject({ status: 200 });
  expect(await memberOf(`ivy@${domain}`)).toMatchObject({ role: 'auditor', state: 'active' });
  provider.person = { sub: 'joe', email: `joe@${domain}`, email_verified: true };
  expect(await browser().signIn(slug)).toMatchObject({ status: 403, code: 'sso_not_a_member' });
  expect(await db()('users').where({ email: `joe@${domain}` })).toEqual([]);
  // An admin chooses the provider, and must make no owner by it.
  await world.as('ada').organizations.invite({ params: params(), body: { email: `max@${domain}`, role: 'owner' } });
  provider.person = { sub: 'max', email: `max@${domain}`, email_verified: true };
  expect(await browser().signIn(slug)).toMatchObject({ status: 403, code: 'sso_link_first' });
});

test('a member with the address is joined; owners and accounts of others are not', async () => {
  const { user_id } = await idOf('ben');
  const email = `ben@${domain}`;
  const now = new Date();
  const facts = { organization_id: organizationId, user_id, role: 'operator' as const, state: 'active' as const, source: 'person' as const };
  await db()('organization_members').insert({ ...facts, member_id: newId('mem'), email, created_at: now, joined_at: now, updated_at: now });
  provider.person = { sub: 'ben', email, email_verified: true };
  expect(await browser().signIn(slug)).toMatchObject({ status: 200, body: { user: { user_id } } });
  // Somebody else was given the address.
  provider.person = { sub: 'ben the second', email, email_verified: true };
  expect(await browser().signIn(slug)).toMatchObject({ status: 409, code: 'sso_identity_taken' });
  // Operators are none by the word of an organization.
  await db()('users').where({ user_id }).update({ operator: true });
  provider.person = { sub: 'ben', email, email_verified: true };
  const it = browser();
  await it.signIn(slug);
  expect(await it.send('GET', '/v1/admin/users')).toMatchObject({ status: 403 });
  await db()('users').where({ user_id }).update({ operator: false });
  await db()('organization_members').where({ organization_id: organizationId, role: 'owner' }).update({ email: `boss@${domain}` }); // prettier-ignore
  provider.person = { sub: 'boss', email: `boss@${domain}`, email_verified: true };
  expect(await browser().signIn(slug)).toMatchObject({ status: 403, code: 'sso_link_first' });
  // An account that somebody made beforehand with the address gets nothing: the person has one of their own.
  const planted = newId('usr');
  await db()('users').insert({ user_id: planted, issuer: 'test', subject: planted, email: `kim@${domain}` });
  provider.person = { sub: 'kim', email: `kim@${domain}`, email_verified: true };
  const kim = await browser().signIn(slug);
  expect(kim).toMatchObject({ status: 200 });
  expect(kim.body).not.toMatchObject({ user: { user_id: planted } });
});

test('required: who signed in otherwise is refused with where to sign in; the connection’s sessions act', async () => {
  await expect(ada().organizationSso.require({ params: params(), body: { required: true } })).rejects.toMatchObject({ status: 409, code: 'sso_untried' });
  const owner = await ownerBySso();
  expect(await owner.send('PUT', `/v1/me/organizations/${slug}/sso/required`, { body: { required: true } })).toMatchObject({ status: 200 });
  // A token, and a session, of the same person.
  const otherwise = [await signedIn((await idOf('ada')).user_id)];
  for (const one of otherwise)
    expect(await acting(one)).toMatchObject({
      status: 403,
      code: 'sso_required',
      body: { detail: { sign_in_path: `/v1/auth/sso/start?organization=${slug}` } },
    });
  const headers = { authorization: `Bearer ${world.tokens.ada}`, 'svc-organization': slug };
  const byToken = await fetch(`${world.url}/v1/agents`, { headers });
  expect(byToken.status).toBe(403);
  await expect(world.as('ada').organizations.members({ params: params(), query: {} })).rejects.toMatchObject({ status: 403, code: 'sso_required' });
  // Their own account is as it was.
  expect(await world.as('ada').organizations.list({ query: {} })).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ slug })]) });
  expect((await acting(owner)).status).toBe(200);
  // Too long ago.
  await db()('web_sessions').where({ sso_connection_id: await connectionId() }).update({ signed_in_at: new Date(Date.now() - 13 * 3_600_000) }); // prettier-ignore
  expect(await acting(owner)).toMatchObject({ status: 403, code: 'sso_required' });
});

async function connectionId(): Promise<string> {
  const row = await db()('sso_connections').where({ organization_id: organizationId }).first('connection_id');
  return row?.connection_id ?? '';
}

test('a session of one organization’s connection does not count for another', async () => {
  const first = { slug, organizationId, domain };
  const owner = await ownerBySso();
  await owner.send('PUT', `/v1/me/organizations/${slug}/sso/required`, { body: { required: true } });
  slug = `sso-${(count += 1)}`;
  ({ organization_id: organizationId } = await world.as('ada').organizations.create({ body: { slug, name: 'Other' } }));
  domain = await prove(`d${count}.example`);
  await connect();
  const other = await ownerBySso();
  expect((await acting(other)).status).toBe(200);
  ({ slug, organizationId, domain } = first);
  expect(await acting(other)).toMatchObject({ status: 403, code: 'sso_required' });
  expect((await acting(owner)).status).toBe(200);
});

test('an owner whose provider is broken ends the requirement, signed in a moment ago in the browser; nobody else does', async () => {
  const owner = await ownerBySso();
  await owner.send('PUT', `/v1/me/organizations/${slug}/sso/required`, { body: { required: true } });
  const path = `/v1/me/organizations/${slug}/sso/break-glass`;
  const { user_id } = await idOf('ada');
  // A token is not enough, nor a link that a token made, nor a sign-in of yesterday.
  await expect(ada().organizationSso.breakGlass({ params: params() })).rejects.toMatchObject({ status: 403, code: 'fresh_sign_in_required' });
  const old = await signedIn(user_id);
  await db()('web_sessions').where({ user_id }).whereNull('sso_connection_id').update({ signed_in_at: new Date(Date.now() - 16 * 60_000) }); // prettier-ignore
  expect(await old.send('POST', path)).toMatchObject({ status: 403, code: 'fresh_sign_in_required' });
  const ben = await idOf('ben');
  const now = new Date();
  const facts = { organization_id: organizationId, user_id: ben.user_id, role: 'admin' as const, state: 'active' as const, source: 'person' as const };
  await db()('organization_members').insert({ ...facts, member_id: newId('mem'), email: 'b@x.example', created_at: now, joined_at: now, updated_at: now });
  expect(await (await signedIn(ben.user_id)).send('POST', path)).toMatchObject({ status: 403, code: 'sso_required' });
  const fresh = await signedIn(user_id);
  expect(await acting(fresh)).toMatchObject({ status: 403 });
  expect(await fresh.send('POST', path)).toMatchObject({ status: 204 });
  expect((await acting(fresh)).status).toBe(200);
  expect(await db()('audit_log').where({ organization_id: organizationId, action: 'organization.sso_break_glass' })).toHaveLength(1);
  await mailed(organizationId);
});

/** The owners have one mail of it, which names who did it; nobody else has. */
async function mailed(organization: string): Promise<void> {
  const server = await inbox();
  const relay = `smtp://127.0.0.1:${server.port}?ignoreTLS=true`;
  const mail = openMail({ domain: 'agents.example', hostname: 'agents.example', selector: 'svc', relay, arcSealers: [] });
  const ctx = { ...world.ctx, drivers: { ...world.ctx.drivers, mail } };
  await db()('organization_members').where({ organization_id: organization, email: 'b@x.example' }).update({ role: 'owner' });
  try {
    await Promise.all([mailOpenings(ctx), mailOpenings(ctx)]);
    await mailOpenings(ctx);
    const { email } = await idOf('ada');
    expect(server.mails.flatMap(({ to }) => to).toSorted()).toEqual([email, 'b@x.example'].toSorted());
    const text = (await parseMail(server.mails[0]?.raw ?? Buffer.alloc(0)))?.text;
    expect(text).toContain(`${email} ended the rule`);
    expect(text).toContain(`svc orgs sso require ${slug}`);
  } finally {
    await server.close();
  }
}

test('removing the member, suspending them or removing the connection ends what they have', async () => {
  provider.person = { sub: 'lee', email: `lee@${domain}`, email_verified: true };
  const lee = browser();
  await lee.signIn(slug);
  expect((await acting(lee)).status).toBe(200);
  const { member_id } = (await memberOf(`lee@${domain}`)) ?? { member_id: '' };
  await world.as('ada').organizations.removeMember({ params: { slug, member_id } });
  expect(await acting(lee)).toMatchObject({ status: 401 });
  // They do not come back on their own, but by an invitation.
  expect(await browser().signIn(slug)).toMatchObject({ status: 403, code: 'sso_not_a_member' });
  await world.as('ada').organizations.invite({ params: params(), body: { email: `lee@${domain}`, role: 'developer' } });
  const back = browser();
  expect(await back.signIn(slug)).toMatchObject({ status: 200 });
  await ada().organizationSso.remove({ params: params() });
  expect(await acting(back)).toMatchObject({ status: 401 });
  await expect(browser().start({ organization: slug })).rejects.toThrow();
});

test('the command line tool gets a token that counts as the sign-in, redeemed by its own verifier, once', async () => {
  provider.person = { sub: 'cli', email: `cli@${domain}`, email_verified: true };
  const verifier = randomBytes(32).toString('base64url');
  const cli_challenge = createHash('sha256').update(verifier).digest('base64url');
  const done = await browser().signIn(slug, { cli_port: '41873', cli_challenge, cli_state: 'a'.repeat(20) });
  const back = new URL((done.body as { redirect_to: string }).redirect_to);
  expect([back.origin, back.pathname, back.searchParams.get('state')]).toEqual(['http://127.0.0.1:41873', '/callback', 'a'.repeat(20)]);
  const code = back.searchParams.get('code') ?? '';
  const redeem = (by: string) => createClient({ baseUrl: world.url }).auth.redeemSso({ body: { code, verifier: by } });
  await expect(redeem('x'.repeat(43))).rejects.toMatchObject({ status: 403 });
  const { access_token } = await redeem(verifier);
  await expect(redeem(verifier)).rejects.toMatchObject({ status: 410 });
  const owner = await ownerBySso();
  await owner.send('PUT', `/v1/me/organizations/${slug}/sso/required`, { body: { required: true } });
  const asked = () => fetch(`${world.url}/v1/agents`, { headers: { authorization: `Bearer ${access_token}`, 'svc-organization': slug } });
  expect((await asked()).status).toBe(200);
  // A browser that a link of the tool signs in has that sign-in, no newer one.
  await db()('platform_tokens').where({ sso_connection_id: await connectionId() }).update({ signed_in_at: new Date(Date.now() - 13 * 3_600_000) }); // prettier-ignore
  expect((await asked()).status).toBe(403);
});
