// Who must not get in by an organization's own sign-in: a provider that lies, answers that were asked by
// another browser or of another organization, people whose address proves nothing, people who were removed
// meanwhile.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { LOGIN_COOKIE, SESSION_COOKIE } from '#core/identity/cookies.ts';
import { createSession } from '#core/identity/session/create.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type World } from '../api/world.ts';
import { CLIENT, type Forger, forger } from '../support/identity-providers.ts';
import { type Answer, SsoBrowser } from '../support/sso.ts';

let world: World;
/** Of Acme, and of Mallory, who has an organization of her own. */
let good: Forger;
let evil: Forger;
const organizations: Record<string, string> = {};

beforeAll(async () => {
  [good, evil] = [await forger(), await forger()];
  world = await createWorld({ ssoLocalHosts: [good.host, evil.host] });
  await organization('ada', 'acme-sso', 'acme.example', good);
  await organization('ben', 'mallory-sso', 'mallory.example', evil);
});
afterAll(async () => {
  await world.close();
  await Promise.all([good.close(), evil.close()]);
});
beforeEach(() => {
  for (const one of [good, evil]) Object.assign(one, { claims: {}, wrongKey: false });
  const one = newId('usr');
  good.person = { sub: one, email: `${one}@acme.example`, email_verified: true };
});

async function organization(who: 'ada' | 'ben', slug: string, domain: string, at: Forger): Promise<void> {
  const { organization_id } = await world.as(who).organizations.create({ body: { slug, name: slug } });
  organizations[slug] = organization_id;
  await world.ctx.db('organization_domains').insert({ domain_id: newId('dom'), organization_id, domain, nonce: 'n', state: 'verified', verified_at: new Date(), checked_at: new Date(), created_at: new Date() }); // prettier-ignore
  await as(who).organizationSso.put({ params: { slug }, body: { issuer: at.issuer, ...CLIENT, domains: [domain] } });
}

const as = (who: 'ada' | 'ben') => createClient({ baseUrl: world.url, token: world.tokens[who] });
const browser = () => new SsoBrowser(world.url);
const signIn = (): Promise<Answer> => browser().signIn('acme-sso');

/** The refused person is nobody here. */
async function refused(answer: Promise<Answer>, status: number, code: string): Promise<void> {
  const users = async () => (await world.ctx.db('users').count<{ count: number }[]>('* as count'))[0]?.count;
  const sessions = async () => (await world.ctx.db('web_sessions').count<{ count: number }[]>('* as count'))[0]?.count;
  const before = [await users(), await sessions()];
  expect(await answer).toMatchObject({ status, code });
  expect([await users(), await sessions()]).toEqual(before);
}

test('an ID token that is not the issuer’s word to this client, now', async () => {
  const forged: [string, Record<string, unknown>][] = [
    ['of another issuer', { iss: evil.issuer }],
    ['for another client', { aud: 'another' }],
    ['of another sign-in', { nonce: 'another' }],
    ['without a subject', { sub: undefined }],
    ['that is over', { exp: Math.floor(Date.now() / 1000) - 3_600 }],
  ];
  for (const [name, claims] of forged) {
    good.claims = claims;
    const it = browser();
    expect([name, await it.signIn('acme-sso')]).toEqual([name, expect.objectContaining({ status: 401, code: 'sign_in_refused' })]);
    expect(it.session).toBeUndefined();
  }
  Object.assign(good, { claims: {}, wrongKey: true });
  await refused(signIn(), 401, 'sign_in_refused');
  good.wrongKey = false;
  expect(await signIn()).toMatchObject({ status: 200 });
});

test('an address that proves nothing', async () => {
  good.person = { sub: 'n1', email: 'new@acme.example', email_verified: false };
  await refused(signIn(), 403, 'sso_email_refused');
  good.person = { sub: 'n1', email: 'new@acme.example' };
  await refused(signIn(), 403, 'sso_email_refused');
  const others = ['eve@mallory.example', 'eve@sub.acme.example', 'eve@acme.example.evil.example', 'eve@evil.example@mallory.example', 'acme.example'];
  for (const email of others) {
    good.person = { sub: 'n1', email, email_verified: true };
    await refused(signIn(), 403, 'sso_domain_refused');
  }
  // The domain is the organization's no more: who was let in is not, either.
  good.person = { sub: 'n2', email: 'old@acme.example', email_verified: true };
  expect(await signIn()).toMatchObject({ status: 200 });
  const mine = world.ctx.db('organization_domains').where({ domain: 'acme.example' });
  await mine.clone().update({ state: 'lapsed' });
  await refused(signIn(), 403, 'sso_domain_refused');
  await mine.clone().update({ state: 'verified' });
});

test('an answer that another browser asked for, that is forged, or that comes twice', async () => {
  const it = browser();
  const back = await it.atProvider(await it.start({ organization: 'acme-sso' }));
  // Mallory sends her own answer to somebody (login CSRF), without and with a cookie of theirs.
  await refused(browser().send('GET', back), 403, 'sign_in_not_begun_here');
  const victim = browser();
  await victim.start({ organization: 'acme-sso' });
  await refused(victim.send('GET', back), 403, 'sign_in_not_begun_here');
  const forged = back.replace(/state=[^&]+/, `state=${'A'.repeat(43)}`);
  await refused(it.send('GET', forged), 403, 'sign_in_not_begun_here');
  await refused(it.send('GET', '/v1/auth/sso/callback/acme-sso?code=x'), 400, 'callback_incomplete');
  expect(await it.send('GET', back)).toMatchObject({ status: 200 });
  await refused(it.send('GET', back), 403, 'sign_in_not_begun_here');
});

test('an answer of one organization’s provider, at another’s address', async () => {
  const it = browser();
  const back = await it.atProvider(await it.start({ organization: 'mallory-sso' }));
  await refused(it.send('GET', back.replace('mallory-sso', 'acme-sso')), 403, 'sign_in_not_begun_here');
  // The other way round: Acme's code must never be shown to Mallory's provider.
  const other = browser();
  const code = new URL(await other.atProvider(await other.start({ organization: 'acme-sso' })), world.url).searchParams.get('code') ?? '';
  const mixed = await other.start({ organization: 'mallory-sso' });
  const query = new URLSearchParams({ code, state: mixed.searchParams.get('state') ?? '' });
  await refused(other.send('GET', `/v1/auth/sso/callback/acme-sso?${query}`), 403, 'sign_in_not_begun_here');
});

test('Mallory’s provider says that somebody of Acme is there', async () => {
  expect(await signIn()).toMatchObject({ status: 200 });
  evil.person = { ...good.person };
  await refused(browser().signIn('mallory-sso'), 403, 'sso_domain_refused');
  // The same subject, with an address of hers: another person.
  evil.person = { sub: good.person.sub, email: 'eve@mallory.example', email_verified: true };
  const hers = await browser().signIn('mallory-sso');
  const his = await signIn();
  expect([hers.status, his.status]).toEqual([200, 200]);
  expect((hers.body as { user: object }).user).not.toMatchObject({ user_id: (his.body as { user: { user_id: string } }).user.user_id });
});

test('removed, suspended, or without a connection, while they are at the provider', async () => {
  good.person = { sub: 'gone', email: 'gone@acme.example', email_verified: true };
  expect(await signIn()).toMatchObject({ status: 200 });
  const row = await world.ctx.db('organization_members').where({ email: 'gone@acme.example' }).first();
  const member_id = row?.member_id ?? '';
  const it = browser();
  const back = await it.atProvider(await it.start({ organization: 'acme-sso' }));
  await world.as('ada').organizations.updateMember({ params: { slug: 'acme-sso', member_id }, body: { state: 'suspended' } });
  await refused(it.send('GET', back), 403, 'membership_suspended');
  const next = await it.atProvider(await it.start({ organization: 'acme-sso' }));
  await world.as('ada').organizations.removeMember({ params: { slug: 'acme-sso', member_id } });
  await refused(it.send('GET', next), 403, 'sso_not_a_member');
  const last = await it.atProvider(await it.start({ organization: 'acme-sso' }));
  await as('ada').organizationSso.put({ params: { slug: 'acme-sso' }, body: { issuer: good.issuer, ...CLIENT, client_id: 'svc-2', domains: ['acme.example'] } }); // prettier-ignore
  await refused(it.send('GET', last), 403, 'sign_in_not_begun_here');
  await as('ada').organizationSso.put({ params: { slug: 'acme-sso' }, body: { issuer: good.issuer, ...CLIENT, domains: ['acme.example'] } });
});

test('an account is linked by its own session alone, begun with a request of that page, and still there', async () => {
  const ben = await world.as('ben').auth.me();
  const session = async (userId: string, signedIn: boolean): Promise<string> =>
    (await inTx(world.ctx, (ctx) => createSession(ctx, { userId, replaces: undefined, signedIn }))).token;
  const path = '/v1/me/organizations/mallory-sso/sso/link';
  const it = browser();
  // A session that a link of the tool made, and a page of another site.
  it.plant(SESSION_COOKIE, await session(ben.user_id, false));
  expect(await it.send('POST', path)).toMatchObject({ status: 403, code: 'fresh_sign_in_required' });
  it.plant(SESSION_COOKIE, await session(ben.user_id, true));
  expect(await it.send('POST', path, { headers: { 'sec-fetch-site': 'cross-site' } })).toMatchObject({ status: 403 });
  const { body } = await it.send('POST', path);
  evil.person = { sub: 'ben', email: 'ben@mallory.example', email_verified: true };
  const back = await it.atProvider(new URL((body as { authorization_url: string }).authorization_url));
  // Another person has signed in there since.
  const ada = await world.as('ada').auth.me();
  const mine = it.session ?? '';
  it.plant(SESSION_COOKIE, await session(ada.user_id, true));
  await refused(it.send('GET', back), 403, 'sign_in_not_begun_here');
  it.plant(SESSION_COOKIE, mine);
  expect(it.login).toBeDefined();
  // An ordinary sign-in, to which a page of Mallory's sends Ada's browser, links nothing: it signs in as who
  // the provider knows.
  const hers = browser();
  hers.plant(SESSION_COOKIE, await session(ada.user_id, true));
  hers.plant(LOGIN_COOKIE, '');
  evil.person = { sub: 'mallory', email: 'm@mallory.example', email_verified: true };
  const entered = await hers.signIn('mallory-sso');
  expect(entered.body).not.toMatchObject({ user: { user_id: ada.user_id } });
  expect(await world.ctx.db('sso_identities').where({ user_id: ada.user_id })).toEqual([]);
});

test('others see and change nothing of the connection, and learn no more of an organization than that it has one', async () => {
  const params = { slug: 'acme-sso' };
  const ben = as('ben').organizationSso;
  const tries = [
    () => ben.get({ params }),
    () => ben.remove({ params }),
    () => ben.require({ params, body: { required: false } }),
    () => ben.breakGlass({ params }),
    () => ben.put({ params, body: { issuer: evil.issuer, ...CLIENT, domains: ['acme.example'] } }),
  ];
  for (const one of tries) await expect(one()).rejects.toMatchObject({ status: 404, code: 'organization_not_found' });
  // Nobody else's domain is taken for one's own.
  const taken = as('ben').organizationSso.put({ params: { slug: 'mallory-sso' }, body: { issuer: evil.issuer, ...CLIENT, domains: ['acme.example'] } });
  await expect(taken).rejects.toMatchObject({ status: 409, code: 'sso_domain_unproved' });
  expect(await browser().send('GET', '/v1/auth/sso/start?organization=nobody-sso')).toMatchObject({ status: 404, code: 'sso_not_found' });
  expect(await browser().send('GET', '/v1/auth/sso/start?email=a%40nobody.example')).toMatchObject({ status: 404, code: 'sso_not_found' });
  expect(await browser().send('GET', '/v1/auth/sso/start?organization=acme-sso&redirect_to=https%3A%2F%2Fevil.example')).toMatchObject({ status: 422 });
  expect(JSON.stringify(world.logs)).not.toContain(CLIENT.client_secret);
});
