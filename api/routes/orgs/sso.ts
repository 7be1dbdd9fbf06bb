import type { organizationSso, ssoSignIn } from '#contract/orgs/sso.ts';
import { requireCookieSupport, LOGIN_COOKIE, SESSION_COOKIE } from '#core/identity/cookies.ts';
import { CODE_SECONDS } from '#core/identity/code/one-time.ts';
import { presentUser } from '#core/identity/user/present.ts';
import { getSso } from '#core/orgs/sso/connection.ts';
import { finishSso } from '#core/orgs/sso/finish.ts';
import { putSso } from '#core/orgs/sso/put.ts';
import { breakGlass, removeSso, requireSso } from '#core/orgs/sso/require.ts';
import { type SsoRedirect, startLink, startSso } from '#core/orgs/sso/start.ts';
import { redeemSsoToken } from '#core/orgs/sso/token.ts';
import { unlink } from '#core/orgs/sso/unlink.ts';
import type { Handlers, Http } from '../../http/handlers.ts';

export const organizationSsoRoutes: Handlers<typeof organizationSso> = {
  get: (ctx, { params }) => getSso(ctx, params),
  put: (ctx, { params, body }) => putSso(ctx, { ...params, ...body }),
  remove: (ctx, { params }) => removeSso(ctx, params),
  require: (ctx, { params, body }) => requireSso(ctx, { ...params, ...body }),
  breakGlass: (ctx, { params }) => breakGlass(ctx, params),
  unlink: (ctx, { params }) => unlink(ctx, params),
  link: async (ctx, { params }, http) => begun(http, await startLink(ctx, { ...params, cookie: http.cookies.get(LOGIN_COOKIE) })),
};

export const ssoSignInRoutes: Handlers<typeof ssoSignIn> = {
  async startSso(ctx, { query }, http) {
    if (http.wantsHtml) requireCookieSupport(ctx.config.baseUrl);
    const { organization, email, redirect_to: redirectTo, cli_port: port, cli_challenge: challenge, cli_state: state } = query;
    const cookie = http.cookies.get(LOGIN_COOKIE);
    const one = await startSso(ctx, { organization, email, redirectTo, cli: { port, challenge, state }, cookie });
    return http.redirect(one.url, begun(http, one));
  },

  async ssoCallback(ctx, { params, query }, http) {
    const { session, user, redirectTo, expiresAt } = await finishSso(ctx, {
      ...params,
      query,
      cookie: http.cookies.get(LOGIN_COOKIE),
      session: http.cookies.get(SESSION_COOKIE),
    });
    if (session) http.cookies.set(SESSION_COOKIE, session.token, { maxAge: Math.max(1, Math.floor((expiresAt.getTime() - ctx.clock()) / 1000)) });
    return http.redirect(redirectTo, { redirect_to: redirectTo, user: presentUser(user), expires_at: expiresAt.toISOString() });
  },

  redeemSso: (ctx, { body }) => redeemSsoToken(ctx, body),
};

function begun(http: Http, { url, cookie, expiresAt }: SsoRedirect): { authorization_url: string; expires_at: string } {
  http.cookies.set(LOGIN_COOKIE, cookie, { maxAge: CODE_SECONDS.sso_state });
  return { authorization_url: url, expires_at: expiresAt.toISOString() };
}
