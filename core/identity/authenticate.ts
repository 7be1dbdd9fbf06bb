// Who calls: a bearer token (of the identity provider, or our own), else a browser session, else anonymous.
import type { Knex } from 'knex';
import { AGENT_SCOPE } from '#contract/identity/resources.ts';
import type { Vault } from '#drivers/vault/port.ts';
import type { Actor, Ctx, UserActor } from '../kernel/ctx.ts';
import { type AccessTokenIdentity, TokenExpired, type AccessTokens } from '#drivers/idp/access-tokens.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { SOURCE_TOKEN_PREFIX } from '../deploys/source-token/secret.ts';
import { sourceTokenActor } from '../deploys/source-token/open.ts';
import { type ActsFor, actorFor } from '../accounts/acting.ts';
import { withControl } from '../accounts/control.ts';
import { Forbidden, Unauthorized, Unavailable } from '../kernel/errors.ts';
import { runActor } from '../runs/run/authenticate.ts';
import { RUN_TOKEN_PREFIX } from '../runs/run/credential.ts';
import { ActorCache } from './actor-cache.ts';
import { isAgentsView, viewActor } from './agent-session/agents-view.ts';
import { SESSION_COOKIE } from './cookies.ts';
import { lookAtRights } from './rights/look.ts';
import { scimTokenActor } from './scim-token/open.ts';
import { platformTokenActor } from './platform-token.ts';
import { hashSecret } from '../kernel/secret.ts';
import { PLATFORM_TOKEN_PREFIX, SCIM_TOKEN_PREFIX } from './secret.ts';
import { requireSignIn } from './program-sign-in/require.ts';
import { signInOf } from './program-sign-in/of-token.ts';
import { findSession } from './session/find.ts';
import { ensureUser } from './user/ensure.ts';

export interface AuthenticateDeps {
  db: Knex;
  accessTokens: AccessTokens;
  /** Absent: no run credential is taken. */
  vault?: Vault | undefined;
  clock: () => number;
  /** How long a checked token is believed without looking again, milliseconds; default 60 000. */
  cacheMs?: number;
}

export interface Credentials extends ActsFor {
  authorization: string | undefined;
  cookies: Record<string, string>;
  /** Query `integration_token`, where the route admits it. */
  integrationToken?: string | undefined;
  /** Cookie of an agent origin's session, where the route admits it. */
  agentSession?: string | undefined;
  /** On an agent's host: the audiences a token may have besides the platform. */
  audiences?: readonly string[] | undefined;
  /** Where the request came from, for who looks at their sign-ins. */
  from?: Ctx['from'];
}

const ANONYMOUS: Actor = { kind: 'anonymous' };

/**
 * No credentials, or the cookie of a session that is over → anonymous. A token that does not hold → throws
 * Unauthorized; of a suspended account → Forbidden.
 */
export function createAuthenticator(deps: AuthenticateDeps): (credentials: Credentials) => Promise<Actor> {
  const cache = new ActorCache(deps.cacheMs ?? 60_000);
  // After the cache: what an operator forbids an account holds for its tokens that were checked before.
  // Memberships too are looked up each time.
  return async (credentials) => {
    return withControl(deps.db, await actorFor(deps.db, await identify(deps, cache, credentials), credentials));
  };
}

async function identify(deps: AuthenticateDeps, cache: ActorCache, credentials: Credentials): Promise<Actor> {
  const { authorization, cookies, integrationToken, agentSession, audiences, from } = credentials;
  // A bearer token wins over the cookie: who sends one means it.
  if (authorization !== undefined) return bearer(deps, cache, tokenOf(authorization), { audiences, from });
  if (integrationToken !== undefined) return integration(deps, integrationToken);
  const session = cookies[SESSION_COOKIE];
  const browserSession = session === undefined ? undefined : await findSession(deps.db, session, deps.clock());
  if (!browserSession) return agentSession === undefined ? ANONYMOUS : ofAgentSession(deps, agentSession);
  const { user_id, email, operator } = browserSession.user;
  // An organization vouches for whom it lets in, and makes no operators.
  return {
    kind: 'user',
    user_id,
    email,
    operator: operator && browserSession.proof.sso === undefined,
    via: 'session',
    sign_in: browserSession.id,
    ...browserSession.proof,
  };
}

/** A cookie that means nothing, or something else, is none. */
async function ofAgentSession(deps: AuthenticateDeps, token: string): Promise<Actor> {
  const { vault, db, clock } = deps;
  const actor = vault && isAgentsView(token) ? await viewActor({ db, vault, clock }, token) : await platformTokenActor(db, token, clock());
  return actor?.kind === 'agent_session' ? actor : ANONYMOUS;
}

async function bearer(
  deps: AuthenticateDeps,
  cache: ActorCache,
  token: string,
  { audiences = [], from }: Pick<Credentials, 'audiences' | 'from'>,
): Promise<Actor> {
  // Other tokens of ours have no dot in them. Never cached: a run may end at any moment.
  if (deps.vault && token.startsWith(RUN_TOKEN_PREFIX) && token.includes('.')) return runActor({ ...deps, vault: deps.vault }, token);
  if (deps.vault && isAgentsView(token)) {
    const actor = await viewActor({ ...deps, vault: deps.vault }, token);
    if (!actor) throw new Unauthorized('token_invalid', 'This session is unknown or has ended: sign in again');
    return actor;
  }
  if (token.startsWith(SOURCE_TOKEN_PREFIX)) {
    const actor = await sourceTokenActor(deps.db, token, deps.clock());
    const [why] = actor ? await lookAtRights(deps.db, [{ actor }], deps.clock()) : [];
    if (!actor || why) throw new Unauthorized('source_token_invalid', 'This source token is unknown, released or expired: get a new one');
    return actor;
  }
  if (token.startsWith(SCIM_TOKEN_PREFIX)) {
    const actor = await scimTokenActor(deps.db, token, deps.clock());
    if (!actor) throw new Unauthorized('token_invalid', 'This SCIM token is unknown, revoked or expired: make a new one with "svc orgs scim get"');
    return actor;
  }
  if (token.startsWith(PLATFORM_TOKEN_PREFIX)) return platform(deps, token);
  // A cached result holds only for the audiences it was found with.
  const key = [hashSecret(token), ...audiences].join(' ');
  const known = cache.get(key, deps.clock());
  if (known) {
    // What the issuer signed is believed for a while; that it has not been ended since is not.
    await requireSignIn(deps, known.sign_in);
    return known;
  }
  const { identity, signIn } = await verified(deps, token, audiences, from);
  if (identity.audience !== undefined && !identity.scopes?.includes(AGENT_SCOPE))
    throw new Forbidden('insufficient_scope', `this token may not call the agent: sign in again and ask for the scope "${AGENT_SCOPE}"`);
  const { email } = identity;
  if (email === undefined)
    throw new Unauthorized('email_missing', 'The access token holds no email address: request from the identity provider the scope "email"');
  const row = await ensureUser(deps.db, { ...identity, email }, deps.clock());
  // A token for one agent makes its bearer only a visitor of that agent.
  const as = identity.audience === undefined ? ({ operator: row.operator, via: 'bearer' } as const) : ({ operator: false, via: 'agent_session' } as const);
  const actor: UserActor = { kind: 'user', user_id: row.user_id, email: row.email, ...as, ...(signIn !== undefined && { sign_in: signIn }) };
  cache.put(key, actor, identity.expiresAt);
  return actor;
}

async function platform(deps: AuthenticateDeps, token: string): Promise<Actor> {
  const actor = await platformTokenActor(deps.db, token, deps.clock());
  if (!actor) throw new Unauthorized('token_invalid', 'this token is unknown, revoked or expired: make a new one');
  return actor;
}

/** What opens an account does not belong into addresses, nor what was made for headers. */
async function integration(deps: AuthenticateDeps, token: string): Promise<Actor> {
  const actor = await platformTokenActor(deps.db, token, deps.clock(), 'query');
  if (actor) return actor;
  throw new Unauthorized(
    'token_invalid',
    'integration_token takes an open token of an agent, or of a link that was made for addresses (token_placement url_query): send others as a bearer token',
  );
}

type VerifyDeps = Pick<AuthenticateDeps, 'db' | 'accessTokens' | 'clock'>;

/**
 * Asks again, without the cache. @throws Unauthorized token_expired, token_invalid; Unavailable
 * identity_provider_unreachable
 */
export async function verified(
  deps: VerifyDeps,
  token: string,
  audiences: readonly string[] = [],
  from?: Ctx['from'],
): Promise<{ identity: AccessTokenIdentity; signIn: string | undefined }> {
  const identity = await verify(deps.accessTokens, token, audiences);
  const signIn = await signInOf(deps.db, identity, from);
  await requireSignIn(deps, signIn);
  return { identity, signIn };
}

async function verify(accessTokens: AccessTokens, token: string, audiences: readonly string[]): Promise<AccessTokenIdentity> {
  try {
    return await accessTokens.verify(token, audiences);
  } catch (error) {
    if (!(error instanceof LoginError)) throw error;
    if (error instanceof TokenExpired) throw new Unauthorized('token_expired', 'the access token has expired: refresh it, or sign in again');
    if (error.code === 'unreachable')
      throw new Unavailable('identity_provider_unreachable', 'the identity provider cannot be reached to check the token: try again in a minute');
    throw new Unauthorized('token_invalid', `${error.message}: sign in again`);
  }
}

function tokenOf(authorization: string): string {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw new Unauthorized('authorization_malformed', 'send the access token as `Authorization: Bearer …`');
  return token;
}
