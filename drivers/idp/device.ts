// The pages of the device flow, and of signing out; oidc-provider does the work.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { deviceCodePage, deviceConfirmPage, messagePage, pageHeaders, signOutPage } from './pages.ts';

type Features = NonNullable<Configuration['features']>;

export const deviceFlow: NonNullable<Features['deviceFlow']> = {
  enabled: true,
  charset: 'base-20',
  mask: '****-****',
  userCodeInputSource(ctx, form, _out, error) {
    ctx.set(pageHeaders());
    const typed = error && 'userCode' in error ? String(error.userCode ?? '') : '';
    ctx.body = deviceCodePage({
      action: ctx.oidc.urlFor('code_verification'),
      xsrf: hiddenXsrf(form),
      userCode: typed || prefill(ctx),
      problem: error && problemOf(error.name),
    });
  },
  userCodeConfirmSource(ctx, form, client, _deviceInfo, userCode) {
    ctx.set(pageHeaders());
    ctx.body = deviceConfirmPage({ action: ctx.oidc.urlFor('code_verification'), xsrf: hiddenXsrf(form), userCode, app: client.clientName ?? client.clientId });
  },
  successSource(ctx) {
    ctx.set(pageHeaders());
    ctx.body = messagePage('Signed in', 'Your device is signed in. You can close this page.');
  },
};

export const signOut: NonNullable<Features['rpInitiatedLogout']> = {
  enabled: true,
  logoutSource(ctx, form) {
    ctx.set(pageHeaders());
    ctx.body = signOutPage({ action: ctx.oidc.urlFor('end_session_confirm'), xsrf: hiddenXsrf(form) });
  },
  postLogoutSuccessSource(ctx) {
    ctx.set(pageHeaders());
    ctx.body = messagePage('Signed out', 'You are signed out. You can close this page.');
  },
};

/**
 * A link with the code in it shows the form filled in, and never sends it: opening a link connects nothing.
 */
export async function prefillUserCode(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  const { user_code: userCode, ...rest } = ctx.query;
  if (ctx.method === 'GET' && ctx.path === '/device' && typeof userCode === 'string') {
    ctx.state.userCode = userCode.slice(0, 32);
    ctx.query = rest;
  }
  return next();
}

function prefill(ctx: KoaContextWithOIDC): string {
  return typeof ctx.state.userCode === 'string' ? ctx.state.userCode : '';
}

/** oidc-provider hands over a ready form; only its token is needed, the form is our own. */
function hiddenXsrf(form: string): string {
  return /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
}

function problemOf(name: string): string {
  if (name === 'NoCodeError') return 'Enter the code your device shows.';
  if (name === 'AbortedError') return 'The device was not signed in.';
  return 'That code is unknown, used or expired. Ask the device for a new one.';
}
