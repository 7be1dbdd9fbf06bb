// What operators change and see of the account of accounts, and how they show that they are operators.
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR_CLAIM } from '#contract/identity/oauth.ts';
import { takeAccountCalls } from '#core/money/account-access/take.ts';
import { loginOperator } from '#core/platform/operator/login.ts';
import { createAccessTokens } from '#drivers/idp/access-tokens.ts';
import { newId } from '#core/kernel/ids.ts';
import { liveAgent } from '#test/support/runs.ts';
import { userActor } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let user_id: string;
beforeAll(async () => {
  world = await createWorld();
  user_id = world.records['user_id'] ?? '';
});
afterAll(() => world.close());

const admin = () => world.as('operator').admin;
const NONE = { funded_calls_per_agent: null, expires_at: null, reason: '' };
const put = async (change: { funded_calls_per_agent?: number | null; expires_at?: string | null; reason?: string }, of = user_id) => {
  const { version } = await admin().billingOverride({ params: { user_id: of } });
  return admin().putBillingOverride({ params: { user_id: of }, body: { ...NONE, ...change, version } });
};
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString();

verifies('admin.billingOverride', 'an account without one has what every account has; an unknown one answers 404; only operators see it', async () => {
  expect(await admin().billingOverride({ params: { user_id } })).toEqual({ user_id, ...NONE, in_force: false, version: 0, updated_at: null, updated_by: null });
  await expect(admin().billingOverride({ params: { user_id: 'usr_none' } })).rejects.toMatchObject({ status: 404, code: 'user_not_found' });
  await expect(world.as('ada').admin.billingOverride({ params: { user_id } })).rejects.toMatchObject({ status: 403 });
});

verifies(
  'admin.putBillingOverride',
  'it decides how many calls are funded, from the next call on, until it expires; 100 racing calls with 3 left are exactly 3',
  async () => {
    const { ctx } = world;
    const ben = await liveAgent(ctx, (await ctx.db('users').whereNot({ user_id }).first('user_id'))?.user_id ?? '', { visibility: 'public' });
    const route = { agentId: ben.id, agentName: ben.name, ownerId: ben.ownerId, accountAccess: true as const };
    const actor = userActor(user_id);
    const race = async (calls: number, at = Date.now()) => {
      const all = await Promise.allSettled(Array.from({ length: calls }, () => takeAccountCalls({ ...ctx, clock: () => at }, route, actor)));
      return all.filter(({ status }) => status === 'fulfilled').length;
    };
    await ctx.db('llm_credentials').where({ user_id }).delete();
    expect(await put({ funded_calls_per_agent: 3, expires_at: inOneHour(), reason: 'a pilot' })).toMatchObject({ in_force: true, version: 1 });
    expect(await race(100)).toBe(3);
    expect(await world.as('ada').agents.accountAccess({ params: { name: ben.name } })).toMatchObject({ platform_skill_calls: 3, used: 3, remaining: 0 });
    await put({ funded_calls_per_agent: 0 });
    expect(await race(1)).toBe(0);
    await put({ funded_calls_per_agent: 5, expires_at: inOneHour() });
    // Expired, the setting holds: more than three, so calls are funded again; before, two were left.
    expect(await race(10)).toBe(2);
    expect(await race(1, Date.now() + 7_200_000)).toBe(1);
    await put({ reason: 'over' });
    expect(await admin().billingOverride({ params: { user_id } })).toMatchObject({ in_force: false, reason: 'over', version: 4 });
  },
);

test('a write names the version it changes; a time that is over is refused; each write is in the audit log with what it changed', async () => {
  const { version } = await admin().billingOverride({ params: { user_id } });
  const body = { ...NONE, funded_calls_per_agent: 7, version };
  const both = await Promise.allSettled([admin().putBillingOverride({ params: { user_id }, body }), admin().putBillingOverride({ params: { user_id }, body })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 409, code: 'version_conflict' } });
  await expect(put({ expires_at: '2020-01-01T00:00:00.000Z' })).rejects.toMatchObject({ status: 422 });
  const row = await world.ctx.db('audit_log').where({ action: 'billing_override.put', target_id: user_id }).orderBy('audit_id', 'desc').first('details');
  expect(row?.details).toMatchObject({ to: { funded_calls_per_agent: 7 }, version: version + 1 });
});

verifies('admin.billingMetrics', 'sums of all accounts in a period, by day, and of the calls that were funded', async () => {
  const { db } = world.ctx;
  const use = {
    user_id,
    credential_id: 'c',
    credential: 'main',
    provider: 'openai',
    model: 'm',
    purpose: 'chat',
    state: 'ok' as const,
    started_at: new Date(),
    ended_at: new Date(),
  };
  const days = ['2025-03-01', '2025-03-01', '2025-03-02', '2025-04-01'];
  await db('llm_usage').insert(
    days.map((day, n) => ({ ...use, usage_id: newId('llu'), day, input_tokens: 10, output_tokens: 1, cost_micros: n === 1 ? null : 100 })),
  );
  const march = await admin().billingMetrics({ query: { from: '2025-03-01', to: '2025-03-31' } });
  expect(march).toMatchObject({
    models: { calls: 3, accounts: 1, input_tokens: 30, output_tokens: 3, cost_micros: 200, unpriced_calls: 1 },
    days: [
      { day: '2025-03-01', calls: 2, cost_micros: 100 },
      { day: '2025-03-02', calls: 1, cost_micros: 100 },
    ],
    overrides_in_force: 1,
  });
  expect(march.funded.calls).toBeGreaterThanOrEqual(6);
  await expect(admin().billingMetrics({ query: { from: '2025-03-02', to: '2025-03-01' } })).rejects.toMatchObject({ status: 422 });
  await expect(world.as('ben').admin.billingMetrics({ query: {} })).rejects.toMatchObject({ status: 403 });
});

verifies('admin.login', 'a fresh token of the same account shows it; who is no operator any more at the identity provider is none here either', async () => {
  const { ctx } = world;
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const issuer = 'https://issuer.example.test';
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] };
  const accessTokens = createAccessTokens({ issuer, audience: ctx.config.baseUrl, jwks });
  const operator = newId('usr');
  await ctx.db('users').insert({ user_id: operator, issuer, subject: 'olga', email: 'olga@example.test', operator: true });
  const as = { ...ctx, actor: { ...userActor(operator), operator: true }, drivers: { ...ctx.drivers, accessTokens } };
  const token = (claims: object, subject = 'olga', expires = '5m') =>
    new SignJWT({ email: 'olga@example.test', email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(ctx.config.baseUrl)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(privateKey);
  const login = async (claims: object, subject?: string, expires?: string) => loginOperator(as, { access_token: await token(claims, subject, expires) });
  expect(await login({ [OPERATOR_CLAIM]: true })).toMatchObject({ user_id: operator, email: 'olga@example.test', issuer, operator: true });
  await expect(login({ [OPERATOR_CLAIM]: true }, 'somebody-else')).rejects.toMatchObject({ code: 'another_account' });
  await expect(login({ [OPERATOR_CLAIM]: true }, 'olga', '-1m')).rejects.toMatchObject({ code: 'token_expired' });
  await expect(loginOperator(as, { access_token: 'no.such.token' })).rejects.toMatchObject({ code: 'token_invalid' });
  await expect(loginOperator({ ...as, actor: userActor(operator) }, { access_token: 'x' })).rejects.toMatchObject({ code: 'operator_required' });
  const isOperator = async () => (await ctx.db('users').where({ user_id: operator }).first('operator'))?.operator;
  expect(await isOperator()).toBe(true);
  await expect(login({})).rejects.toMatchObject({ code: 'operator_required' });
  expect(await isOperator()).toBe(false);
});
