import { pathTo } from '#contract/path-to.ts';
import type { auth } from '#contract/identity/auth.ts';
import { isLocalPath } from '#contract/wire/local-path.ts';
import { Forbidden, Unauthorized } from '#core/kernel/errors.ts';
import { authorizePath, consentAddress } from './consent-page.ts';
import { authorizeAgentSession, ConsentRequired } from '#core/identity/agent-session/authorize.ts';
import { exchangeAgentSession } from '#core/identity/agent-session/exchange.ts';
import { createCliSession } from '#core/identity/cli-session/create.ts';
import { confirmCliSession, redeemCliSession } from '#core/identity/cli-session/redeem.ts';
import { CODE_SECONDS } from '#core/identity/code/one-time.ts';
import { requireCookieSupport, CLI_CONFIRM_COOKIE, LOGIN_COOKIE, SESSION_COOKIE } from '#core/identity/cookies.ts';
import { finishLogin, type SignedIn } from '#core/identity/login/finish.ts';
import { startLogin } from '#core/identity/login/start.ts';
import { SESSION_SECONDS } from '#core/identity/session/create.ts';
import { logout } from '#core/identity/session/end.ts';
import { currentSession } from '#core/identity/session/current.ts';
import { getMe } from '#core/identity/user/get.ts';
import { presentUser } from '#core/identity/user/present.ts';
import type { Handlers, Http } from '../../http/handlers.ts';
import { CONFIRM_PATH } from './confirm-page.ts';

export const authRoutes: Handlers<typeof auth> = {
  async start(ctx, { query }, http) {
    if (http.wantsHtml) requireCookieSupport(ctx.config.baseUrl);
    const { url, cookie, expiresAt } = await startLogin(ctx, {
      redirectTo: query.redirect_to ?? '/',
      loginHint: query.login_hint,
      cookie: http.cookies.get(LOGIN_COOKIE),
    });
    http.cookies.set(LOGIN_COOKIE, cookie, { maxAge: CODE_SECONDS.oidc_state });
    return http.redirect(url, { authorization_url: url, expires_at: expiresAt.toISOString() });
  },

  async callback(ctx, { query }, http) {
    const signedIn = await finishLogin(ctx, { query, cookie: http.cookies.get(LOGIN_COOKIE), session: http.cookies.get(SESSION_COOKIE) });
    // The sign-in cookie stays until it expires: another tab may be half-way through.
    return enter(http, signedIn);
  },

  createCliSession: (ctx, { body }) => createCliSession(ctx, body.redirect_to),

  async redeemCliSession(ctx, { query }, http) {
    const outcome = await redeemCliSession(ctx, {
      code: query.code,
      session: http.cookies.get(SESSION_COOKIE),
      confirmCookie: http.cookies.get(CLI_CONFIRM_COOKIE),
    });
    const user = presentUser(outcome.user);
    if ('session' in outcome) {
      enter(http, outcome);
      return http.redirect(outcome.redirectTo, { confirm: false, redirect_to: outcome.redirectTo, user, expires_at: outcome.session.expiresAt.toISOString() });
    }
    const { token, expiresAt } = outcome.confirm;
    http.cookies.set(CLI_CONFIRM_COOKIE, token, { maxAge: CODE_SECONDS.cli_confirm });
    return http.redirect(CONFIRM_PATH, { confirm: true, redirect_to: outcome.redirectTo, user, expires_at: expiresAt.toISOString() });
  },

  async confirmCliSession(ctx, _input, http) {
    const signedIn = await confirmCliSession(ctx, { cookie: http.cookies.get(CLI_CONFIRM_COOKIE), session: http.cookies.get(SESSION_COOKIE) });
    http.cookies.clear(CLI_CONFIRM_COOKIE);
    return enter(http, signedIn);
  },

  async authorizeAgentSession(ctx, { query }, http) {
    const next = query.next ?? '/';
    if (ctx.actor.kind === 'anonymous') {
      if (!http.wantsHtml) throw new Unauthorized('unauthenticated', 'sign in first');
      const here = authorizePath(query.agent, next);
      const url = `${pathTo('GET /v1/auth/oidc/start')}?${new URLSearchParams({ redirect_to: isLocalPath(here) ? here : '/' })}`;
      return http.redirect(url, { agent: query.agent, url, expires_at: null });
    }
    try {
      const handOver = await authorizeAgentSession(ctx, { agent: query.agent, next });
      return http.redirect(handOver.url, handOver);
    } catch (error) {
      if (!(error instanceof ConsentRequired)) throw error;
      const url = consentAddress(query.agent, next);
      if (http.wantsHtml) return http.redirect(url, { agent: query.agent, url, expires_at: null });
      throw new Forbidden('consent_required', error.message, { consent_url: ctx.config.baseUrl + url });
    }
  },

  exchangeAgentSession: (ctx, { body }, http) => exchangeAgentSession(ctx, { ...body, origin: http.header('origin') }),

  async logout(ctx, { query }, http) {
    const signedOut = await logout(ctx, { token: http.cookies.get(SESSION_COOKIE), everywhere: query.everywhere });
    http.cookies.clear(SESSION_COOKIE);
    // The sign-out must work here also when the provider does not answer.
    const end = await ctx.drivers.login?.endSessionUrl().catch(() => undefined);
    return { signed_out: signedOut, redirect_to: query.redirect_to ?? '/', end_session_url: end ? String(end) : null };
  },

  session: (ctx, _input, http) => currentSession(ctx, http.cookies.get(SESSION_COOKIE)),

  me: (ctx) => getMe(ctx),
};

function enter(http: Http, { session, user, redirectTo }: SignedIn) {
  http.cookies.set(SESSION_COOKIE, session.token, { maxAge: SESSION_SECONDS });
  return http.redirect(redirectTo, { redirect_to: redirectTo, user: presentUser(user), expires_at: session.expiresAt.toISOString() });
}
