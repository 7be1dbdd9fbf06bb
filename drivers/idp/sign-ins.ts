// Which programs are signed in, as the person reads it: written whenever the provider issues an access token,
// so at the sign-in and at each renewal.
import type { Knex } from 'knex';
import type { AccessToken, KoaContextWithOIDC } from 'oidc-provider';
import { TTL, WEB_CLIENT_ID } from '#contract/identity/oauth.ts';
import { hash } from './adapter.ts';
import { isOwnClient } from './consent.ts';
import { USERINFO_PATH } from './userinfo.ts';
import { clientLabel } from './consent-page.ts';
import { isRegistered } from './registered-clients.ts';

/** Resolves with the id of the sign-in; undefined: the token belongs to none. */
export type NoteSignIn = (ctx: KoaContextWithOIDC, token: AccessToken) => Promise<string | undefined>;

/**
 * After so long without a renewal a program is signed out. Others' clients call one agent each, and some
 * seldom.
 */
export function unusedSeconds(clientId: string): number {
  return isOwnClient(clientId) ? TTL.refreshToken : TTL.grant;
}

export function noteSignIn(db: Knex, issuer: string): NoteSignIn {
  return async (ctx, { grantId, accountId, clientId = '', aud }) => {
    // A browser's sign-in is a session of the API; the tokens that began it are for nobody.
    if (grantId === undefined || clientId === WEB_CLIENT_ID) return undefined;
    const { client } = ctx.oidc;
    const row = {
      issuer,
      subject: accountId,
      client_id: clientId,
      client_name: (client && isRegistered(clientId) ? clientLabel(client) : client?.clientName?.slice(0, 200)) ?? null,
      family: hash(grantId),
      grant_hash: hash(grantId),
      resource: isOwnClient(clientId) ? null : ([aud].flat()[0] ?? `${issuer}${USERINFO_PATH}`),
      address: ctx.ip.slice(0, 64),
      user_agent: ctx.get('user-agent').slice(0, 300) || null,
    };
    const { rows } = await db.raw<{ rows: { sign_in_id: string }[] }>(
      `insert into program_sign_ins (${Object.keys(row).join(', ')}, expires_at)
       values (${Object.keys(row)
         .map((name) => `:${name}`)
         .join(', ')}, now() + make_interval(secs => :unused))
       on conflict (issuer, family) do update set last_used_at = now(),
         expires_at = least(excluded.expires_at, program_sign_ins.created_at + make_interval(secs => :most))
       returning sign_in_id`,
      { ...row, unused: unusedSeconds(clientId), most: TTL.grant },
    );
    return rows[0]?.sign_in_id;
  };
}
