// Who calls what is Ada's and must not have it: other callers with tokens that hold, and tokens that would be
// Ada's, were they valid here or now.
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Actor } from '#core/kernel/ctx.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { createAccessTokens } from '#drivers/idp/access-tokens.ts';
import type { World } from '../api/world.ts';
import { addOrganization, addScimToken } from '../support/scim.ts';
import { liveAgent, runOf } from '../support/runs.ts';
import { addAgent, type TestAgent } from '../support/verbs.ts';

export const SESSION = "her session at another tenant's agent";
const ISSUER = 'test';
const AUDIENCE = 'http://localhost:8080';
const { privateKey, publicKey } = await generateKeyPair('EdDSA');
export const accessTokens = createAccessTokens({
  issuer: ISSUER,
  audience: AUDIENCE,
  jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA', kid: 'k1' }] },
});

interface Owner {
  user_id: string;
  email: string;
}

export interface Caller {
  kind: Actor['kind'];
  /** Undefined: no credentials. */
  token: string | undefined;
}

export interface Attackers {
  owner: Owner;
  /** Ada's, beside the one of the world. */
  other: TestAgent;
  callers: Record<string, Caller>;
  /** Tokens that would be Ada's, were they still or here valid. */
  dead: Record<string, string>;
}

/** Of a person, as the identity provider signs it. */
export function accessToken({ user_id, email }: Owner, claims: object): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: user_id, email, email_verified: true, iat: seconds, exp: seconds + 600, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' })
    .sign(privateKey);
}

/** In a world that has `accessTokens`. */
export async function attackers(world: World): Promise<Attackers> {
  const { db, drivers } = world.ctx;
  const idOf = async (name: string) => (await db('users').where('email', 'like', `${name}-%`).first('user_id', 'email')) ?? { user_id: '', email: '' };
  const [owner, ben] = [await idOf('ada'), await idOf('ben')];
  const hostile = await liveAgent(world.ctx, ben.user_id, { visibility: 'public' });
  const run = runOf(world.ctx, hostile, ben.user_id).actor;
  const nobodys = runOf(world.ctx, hostile, null).actor;
  const other = await addAgent(db, owner.user_id, { live: true });
  const stored = async (row: object): Promise<string> => {
    const token = newPlatformToken();
    const facts = { token_id: newId('tok'), token_hash: hashSecret(token), kind: 'user' as const, user_id: owner.user_id, label: 'test' };
    await db('platform_tokens').insert({ ...facts, ...row });
    return token;
  };
  const visitor = { kind: 'agent_session' as const, agent_id: hostile.id, expires_at: new Date(Date.now() + 3_600_000) };
  const seconds = Math.floor(Date.now() / 1000);
  return {
    owner,
    other,
    callers: {
      'another tenant': { kind: 'user', token: world.tokens.ben },
      anonymous: { kind: 'anonymous', token: undefined },
      "a run of another tenant's agent": { kind: 'run', token: await mintRunCredential(drivers.vault, run, Date.now() + 3_600_000) },
      "a run of another tenant's agent, for nobody": { kind: 'run', token: await mintRunCredential(drivers.vault, nobodys, Date.now() + 3_600_000) },
      "a token of another tenant's agent": { kind: 'api_token', token: await stored({ kind: 'agent_api', user_id: ben.user_id, agent_id: hostile.id }) },
      'a token of her other agent': { kind: 'api_token', token: await stored({ kind: 'agent_api', agent_id: other.id }) },
      'the identity provider of another organization': { kind: 'org_scim', token: (await addOrganization(db, 'bens', ben.user_id)).token },
      [SESSION]: { kind: 'agent_session', token: await stored(visitor) },
    },
    dead: {
      'an expired token': await stored({ expires_at: new Date(Date.now() - 1) }),
      'a revoked token': await stored({ revoked_at: new Date() }),
      'a revoked SCIM token': await revokedScimToken(world),
      'an expired access token': await accessToken(owner, { iat: seconds - 700, exp: seconds - 600 }),
      'an access token for another service': await accessToken(owner, { aud: 'https://elsewhere.example' }),
      'an access token for one agent': await accessToken(owner, { aud: `http://${world.records['name']}.localhost:8080`, scope: 'mcp:invoke' }),
    },
  };
}

/** Of her organization. */
async function revokedScimToken({ ctx: { db }, records }: World): Promise<string> {
  const hers = await db('organizations')
    .where({ slug: records['scim.users.slug'] ?? '' })
    .first('organization_id');
  const token = await addScimToken(db, hers?.organization_id ?? '');
  await db('scim_tokens')
    .where({ token_sha256: hashSecret(token) })
    .update({ revoked_at: new Date() });
  return token;
}
