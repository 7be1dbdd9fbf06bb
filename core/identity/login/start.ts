// Begins a sign-in at the identity provider. Neither the browser's cookie nor the stored row proves anything
// without the other: nonce and PKCE verifier are derived from both, so an answer counts only in the browser
// that asked.
import { createHash } from 'node:crypto';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { LoginError, type LoginProvider } from '#drivers/idp/port.ts';
import { mintCode } from '../code/one-time.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';

export interface StartLogin {
  redirectTo: string;
  loginHint: string | null;
  /** The browser's sign-in cookie, when it has one: several tabs share it. */
  cookie: string | undefined;
}

export async function startLogin(ctx: Ctx, { redirectTo, loginHint, cookie }: StartLogin): Promise<{ url: string; cookie: string; expiresAt: Date }> {
  const browser = browserOf(cookie);
  const state = newSecret();
  const url = await authorizationUrl(ctx.drivers.login, { state, ...loginSecrets(browser, state), ...(loginHint === null ? {} : { loginHint }) });
  const { expiresAt } = await mintCode(
    ctx.db,
    { kind: 'oidc_state', code: state, audience: hashSecret(browser), payload: { redirect_to: redirectTo } },
    ctx.clock(),
  );
  return { url, cookie: browser, expiresAt };
}

/** What the browser's sign-in cookie says, or a new one. */
export function browserOf(cookie: string | undefined): string {
  return cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : newSecret();
}

export function loginSecrets(browser: string, state: string): { nonce: string; codeVerifier: string } {
  const derive = (purpose: string) => createHash('sha256').update(`svc login ${purpose}\n${browser}\n${state}`).digest('base64url');
  return { nonce: derive('nonce'), codeVerifier: derive('verifier') };
}

async function authorizationUrl(login: LoginProvider | undefined, request: Parameters<LoginProvider['authorizationUrl']>[0]): Promise<string> {
  if (!login) throw new NotFound('sign_in_unavailable', 'no identity provider is set up here: set OIDC_ISSUER or start the embedded one');
  try {
    return String(await login.authorizationUrl(request));
  } catch (error) {
    if (error instanceof LoginError) throw new NotFound('sign_in_unavailable', `${error.message}: try again in a minute`);
    throw error;
  }
}
