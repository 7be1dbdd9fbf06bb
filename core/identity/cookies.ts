// The platform's cookies. `__Host-`: only over https or loopback, only this host, the whole site.
import { insecureAddress } from '#contract/wire/secure-context.ts';
import { NotFound } from '../kernel/errors.ts';

export const SESSION_COOKIE = '__Host-svc_session';
/** Ties a sign-in to the browser that began it. */
export const LOGIN_COOKIE = '__Host-svc_login';
/** What an agent is given of its visitor's session, and shows at GET /v1/me. No browser has it. */
export const AGENT_VIEW_COOKIE = 'svc_session';
export const CLI_CONFIRM_COOKIE = '__Host-svc_cli_confirm';

/**
 * Before a browser begins to sign in where it would keep none of these: it would be led around without a
 * word. @throws NotFound
 */
export function requireCookieSupport(baseUrl: string): void {
  const problem = insecureAddress(baseUrl);
  if (problem !== undefined) throw new NotFound('sign_in_unavailable', problem);
}
