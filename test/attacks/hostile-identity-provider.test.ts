// Mallory is an admin of an organization of which Ada is a member. He connects an identity provider that he runs, and lets it say that Ada is at his browser.
// Ada has an account of her own, and owns another organization: by Mallory's word he gets into neither.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { besideClient } from '#contract/beside-client.ts';
import { SESSION_COOKIE } from '#core/identity/cookies.ts';
import { createSession } from '#core/identity/session/create.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type World } from '../api/world.ts';
import { CLIENT, type Forger, forger } from '../support/identity-providers.ts';
import { type Answer, SsoBrowser } from '../support/sso.ts';

let world: World;
let evil: Forger;
let ada: { user_id: string; email: string };
const MALLORYS = 'mallory-co';
const ADAS = 'adas-own';
const ADDRESS = 'ada@mallory.example';

beforeAll(async () => {
  evil = await forger();
  world = await createWorld({ ssoLocalHosts: [evil.host] });
  ada = await world.as('ada').auth.me();
  await world.as('ada').organizations.create({ body: { slug: ADAS, name: 'Of Ada' } });
  const { organization_id } = await world.as('ben').organizations.create({ body: { slug: MALLORYS, name: 'Mallory & Co' } });
  const now = new Date();
  const domain = { domain_id: newId('dom'), organization_id, domain: 'mallory.example', nonce: 'n', state: 'verified' as const };
  await world.ctx.db('organization_domains').insert({ ...domain, verified_at: now, checked_at: now, created_at: now });
  const facts = { member_id: newId('mem'), organization_id, user_id: ada.user_id, email: ADDRESS, role: 'developer' as const, state: 'active' as const };
  await world.ctx.db('organization_members').insert({ ...facts, source: 'person', created_at: now, joined_at: now, updated_at: now });
}, 120_000);
afterAll(async () => {
  await world.close();
  await evil.close();
});
beforeEach(async () => {
  evil.person = { sub: 'ada', email: ADDRESS, email_verified: true };
  await connect();
});

const connect = (more: object = {}) =>
  besideClient({ baseUrl: world.url, token: world.tokens.ben }).organizationSso.put({
    params: { slug: MALLORYS },
    body: { issuer: evil.issuer, ...CLIENT, domains: ['mallory.example'], ...more },
  });
const browser = () => new SsoBrowser(world.url);
const acting = (slug: string) => ({ headers: { 'svc-organization': slug } });

/** Mallory's browser, signed in as Ada by the word of his provider. */
async function asAda(): Promise<SsoBrowser> {
  const it = browser();
  expect(await it.signIn(MALLORYS)).toMatchObject({ status: 200, body: { user: { user_id: ada.user_id } } });
  return it;
}

test('the session is hers, and acts for his organization alone', async () => {
  const it = await asAda();
  expect(await it.send('GET', '/v1/agents/mine', acting(MALLORYS))).toMatchObject({ status: 200 });
  // Her own agents, by no header and by that of her organization.
  const mine = await it.send('GET', '/v1/agents/mine');
  expect(JSON.stringify(mine.body)).not.toContain(world.records['name']);
  expect(await it.send('GET', '/v1/agents/mine', acting(ADAS))).toMatchObject({ status: 403, code: 'sso_limited' });
  expect(await it.send('GET', `/v1/me/organizations/${ADAS}`)).toMatchObject({ status: 403, code: 'sso_limited' });
  const listed = await it.send('GET', '/v1/me/organizations');
  expect(listed).toMatchObject({ status: 200, body: { items: [{ slug: MALLORYS }] } });
  // Nor does he make himself an admin of hers.
  const invites = await it.send('POST', `/v1/me/organizations/${ADAS}/members`, { body: { email: 'mallory@mallory.example', role: 'admin' } });
  expect(invites).toMatchObject({ status: 403, code: 'sso_limited' });
});
