// The identity provider sent the browser back: check everything, then start a session under a new token.
import { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import type { UsersRow } from '#db/tables.ts';
import { LoginError, type Identity } from '#drivers/idp/port.ts';
import { BadGateway, BadRequest, Forbidden, Unauthorized } from '../../kernel/errors.ts';
import { withControl } from '../../accounts/control.ts';
import { system } from '../../kernel/act.ts';
import { redeemCode } from '../code/one-time.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { createSession, type NewSession } from '../session/create.ts';
import { ensureUser } from '../user/ensure.ts';
import { loginSecrets } from './start.ts';

export interface FinishLogin {
  /** The callback's query. */
  query: Record<string, string | undefined>;
  /** The browser's sign-in cookie. */
  cookie: string | undefined;
  /** The session the browser had before. */
  session: string | undefined;
}

export interface SignedIn {
  session: NewSession;
  user: UsersRow;
  redirectTo: string;
}

const Payload = z.object({ redirect_to: z.string() });

export async function finishLogin(ctx: Ctx, { query, cookie, session }: FinishLogin): Promise<SignedIn> {
  const { state } = query;
  if (state === undefined || (query.code === undefined && query.error === undefined)) {
    throw new BadRequest('callback_incomplete', 'Only the identity provider calls this address: start at /v1/auth/oidc/start');
  }
  if (cookie === undefined) throw elsewhere();
  const redeemed = await redeemCode(ctx.db, { kind: 'oidc_state', code: state, audience: hashSecret(cookie), by: 'callback' }, ctx.clock());
  if (redeemed.state !== 'redeemed') throw elsewhere();
  const identity = await askProvider(ctx, query, cookie, state);
  const { redirect_to: redirectTo } = Payload.parse(redeemed.row.payload);
  // The identity provider has said who it is; createSession writes the row.
  return system(ctx, async (ctx) => {
    const user = await ensureUser(ctx.db, identity, ctx.clock());
    await withControl(ctx.db, { kind: 'user', user_id: user.user_id, email: user.email, operator: false, via: 'session' });
    return { session: await createSession(ctx, { userId: user.user_id, replaces: session, signedIn: true }), user, redirectTo };
  });
}

async function askProvider(ctx: Ctx, query: FinishLogin['query'], cookie: string, state: string): Promise<Identity> {
  const { login } = ctx.drivers;
  if (!login) throw new BadGateway('identity_provider_failed', 'no identity provider is set up here');
  return login.finish({ state, ...loginSecrets(cookie, state), query: callbackQuery(query) }).catch((error: unknown) => {
    throw asRefusal(error, '/v1/auth/oidc/start');
  });
}

/** The callback's query, as the provider sent it. */
export function callbackQuery(query: FinishLogin['query']): URLSearchParams {
  const answer = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) answer.set(name, value);
  return answer;
}

/** For who signs in. `start`: where they begin again. */
export function asRefusal(error: unknown, start: string): unknown {
  if (!(error instanceof LoginError)) return error;
  if (error.code === 'unreachable') return new BadGateway('identity_provider_failed', 'the identity provider did not answer: sign in again in a minute');
  return new Unauthorized('sign_in_refused', `the sign-in was refused (${error.message}): start again at ${start}`);
}

/** Login CSRF: an answer that another browser asked for signs nobody in here. */
export function elsewhere(start = '/v1/auth/oidc/start'): Forbidden {
  return new Forbidden('sign_in_not_begun_here', `this sign-in was not begun in this browser, was used already or took too long: start again at ${start}`);
}
