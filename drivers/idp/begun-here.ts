// A sign-in is gone on with in the browser that began it. The provider's own cookies for that have paths, so
// a page of a neighbouring host, an agent's perhaps, may plant its own in their place (`document.cookie` with
// the parent domain): the person would sign in to somebody else's attempt, which that one then takes up, or
// be signed in as somebody else. Browsers take a `__Host-` cookie only from this very host; it needs https.
import type { Interaction, KoaContextWithOIDC } from 'oidc-provider';
import { TTL } from '#contract/identity/oauth.ts';
import { messagePage, pageHeaders } from './pages.ts';

/** The provider's session; over plain http there is no such protection. */
export const sessionCookieOf = (secure: boolean): string => (secure ? '__Host-svc_idp_session' : 'svc_idp_session');
export const INTERACTION_COOKIE = 'svc_idp_interaction';
export const RESUME_COOKIE = 'svc_idp_resume';

/** One for each attempt: several may be under way in one browser. */
const begunCookie = (uid: string): string => `__Host-svc_idp_begun_${uid}`;
const OPTIONS = { path: '/', secure: true, httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const;

/** To be called when an attempt starts. */
export function noteBegun(ctx: Pick<KoaContextWithOIDC, 'cookies'>, { uid }: Pick<Interaction, 'uid'>): void {
  ctx.cookies.set(begunCookie(uid), '1', { ...OPTIONS, maxAge: TTL.interaction * 1_000 });
}

/**
 * Middleware: what cannot be the id of an attempt is none. The provider would take it for one, and fail over
 * its own cookie for it.
 */
export async function onlyIds(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (!/^\/(?:interaction|auth|device)\/(?![\w-]+$)[^/]+$/.test(ctx.path)) return next();
  ctx.status = 404;
  ctx.set(pageHeaders());
  ctx.body = messagePage('That is not here', 'There is no such sign-in. Go back to where you began and try again.');
}

/** Middleware: refuses to show, finish or continue a sign-in that this browser did not start. */
export async function onlyWhereBegun(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  const [, at, uid = ''] = /^\/(interaction|auth|device)\/([\w-]+)$/.exec(ctx.path) ?? [];
  if (at === undefined) return next();
  const planted = at !== 'interaction' && ctx.cookies.get(RESUME_COOKIE, { signed: true }) !== uid;
  if (!planted && ctx.cookies.get(begunCookie(uid), { signed: false }) === '1') {
    await next();
    // Taken up: it is over.
    if (at !== 'interaction') ctx.cookies.set(begunCookie(uid), null, OPTIONS);
    return;
  }
  ctx.status = 400;
  ctx.set(pageHeaders());
  ctx.body = messagePage('That did not work', 'This sign-in was begun in another browser, or it is over. Go back to where you began and try again.');
}
