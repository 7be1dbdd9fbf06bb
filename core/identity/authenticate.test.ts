import { afterAll, expect, test, vi } from 'vitest';
import { createPool } from '#db/pool.ts';
import type { PlatformTokensRow } from '#db/tables.ts';
import { TokenExpired, type AccessTokenIdentity } from '#drivers/idp/access-tokens.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { testDatabase } from '#test/support/servers.ts';
import { Unauthorized, Unavailable } from '../kernel/errors.ts';
import { createAuthenticator } from './authenticate.ts';
import { hashSecret } from '../kernel/secret.ts';
import { newPlatformToken } from './secret.ts';

const db = createPool({ connectionString: (await testDatabase()).url });
afterAll(() => db.destroy());

let now = Date.parse('2026-11-20T19:00:00Z');
const ada: AccessTokenIdentity = { issuer: 'https://issuer.test', subject: 'ada', email: 'ada@test', name: 'Ada', operator: false, expiresAt: now + 600_000 };
const verified: string[] = [];
/** What the identity provider says of each token. */
const known: Record<string, () => AccessTokenIdentity> = { ada: () => ada };
const authenticate = createAuthenticator({
  db,
  clock: () => now,
  accessTokens: {
    async verify(token) {
      verified.push(token);
      const answer = known[token];
      if (!answer) throw new LoginError('invalid', 'no');
      return answer();
    },
  },
});
const bearer = (token: string) => authenticate({ authorization: `Bearer ${token}`, cookies: {} });

test('a person is written down at first sight, and known again; not at every request', async () => {
  const first = await bearer('ada');
  expect(first).toMatchObject({ kind: 'user', email: 'ada@test', operator: false, via: 'bearer' });
  expect(await bearer('ada')).toEqual(first);
  expect(verified).toEqual(['ada']);
  const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
  expect(await bearer('ada')).toEqual(first);
  later.mockRestore();
  expect(verified).toEqual(['ada', 'ada']);
  expect(await db('users').where({ subject: 'ada' })).toHaveLength(1);
});

test('what changed at the identity provider is taken over', async () => {
  const before = await bearer('ada');
  known.renamed = () => ({ ...ada, email: 'lovelace@test', operator: true });
  expect(await bearer('renamed')).toEqual({ ...before, email: 'lovelace@test', operator: true });
  expect(await db('users').where({ subject: 'ada' })).toHaveLength(1);
});

test('a hundred first requests at once make one person', async () => {
  known.crowd = () => ({ ...ada, subject: 'crowd', email: 'crowd@test' });
  const actors = await Promise.all(Array.from({ length: 100 }, () => bearer('crowd')));
  expect(new Set(actors.map((actor) => (actor.kind === 'user' ? actor.user_id : actor.kind))).size).toBe(1);
});

test('the same subject of another issuer is another person', async () => {
  known.elsewhere = () => ({ ...ada, issuer: 'https://other.test' });
  expect(await bearer('elsewhere')).not.toEqual(await bearer('ada'));
});

test('a checked token is not believed beyond its end', async () => {
  known.short = () => {
    if (now > ends) throw new TokenExpired();
    return { ...ada, expiresAt: ends };
  };
  const ends = now + 5_000;
  await bearer('short');
  now += 5_001;
  await expect(bearer('short')).rejects.toMatchObject({ code: 'token_expired' });
});

test('no, stale and malformed credentials', async () => {
  expect(await authenticate({ authorization: undefined, cookies: {} })).toEqual({ kind: 'anonymous' });
  expect(await authenticate({ authorization: undefined, cookies: { '__Host-svc_session': 'long gone' } })).toEqual({ kind: 'anonymous' });
  for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'ada', 'Bearer a b', 'Bearer \u00e4']) {
    await expect(authenticate({ authorization, cookies: {} }), authorization).rejects.toBeInstanceOf(Unauthorized);
  }
  await expect(bearer('forged')).rejects.toMatchObject({ code: 'token_invalid' });
  known.nameless = () => ({ ...ada, subject: 'nameless', email: undefined });
  await expect(bearer('nameless')).rejects.toMatchObject({ code: 'email_missing' });
  known.down = () => {
    throw new LoginError('unreachable', 'down');
  };
  await expect(bearer('down')).rejects.toBeInstanceOf(Unavailable);
});

test('platform tokens: found by hash, each kind its actor, ended ones refused', async () => {
  const user = await bearer('ada');
  const userId = user.kind === 'user' ? user.user_id : '';
  const insert = async (kind: PlatformTokensRow['kind'], over: Record<string, unknown> = {}) => {
    const token = newPlatformToken();
    await db('platform_tokens').insert({
      token_id: `tok_${kind}_${token.slice(4, 12)}`,
      token_hash: hashSecret(token),
      kind,
      user_id: userId,
      label: 'mailer',
      ...over,
    });
    return token;
  };
  expect(await bearer(await insert('user'))).toMatchObject({ kind: 'user', user_id: userId, via: 'bearer' });
  expect(await bearer(await insert('platform', { user_id: null }))).toEqual({ kind: 'platform', service: 'mailer', token_id: expect.stringMatching(/^tok_/) });
  const agentToken = await insert('agent_api', { agent_id: 'agt_1' });
  expect(await bearer(agentToken)).toMatchObject({ kind: 'api_token', agent_id: 'agt_1', owner_id: userId });
  expect(await authenticate({ authorization: undefined, cookies: {}, integrationToken: agentToken })).toMatchObject({ kind: 'api_token' });
  // In an address a token of one agent alone.
  for (const integrationToken of [await insert('user'), await insert('platform', { user_id: null })])
    await expect(authenticate({ authorization: undefined, cookies: {}, integrationToken })).rejects.toMatchObject({ code: 'token_invalid' });
  for (const ended of [await insert('user', { expires_at: new Date(now - 1) }), await insert('user', { revoked_at: new Date(now) }), newPlatformToken()]) {
    await expect(bearer(ended)).rejects.toMatchObject({ code: 'token_invalid' });
  }
  expect(JSON.stringify(await db('platform_tokens'))).not.toContain(agentToken);
});
