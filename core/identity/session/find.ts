import type { Knex } from 'knex';
import type { UsersRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { PROOF, proofOf, SSO_OF } from '../../kernel/sso.ts';
import { markUsed } from '../mark-used.ts';

const MARK_MS = 600_000;

export interface BrowserSession {
  id: string;
  user: UsersRow;
  expiresAt: Date;
  /** Of the actor that it makes. */
  proof: Pick<UserActor, 'sso' | 'limited_to' | 'signed_in_at'>;
}

/** The session a cookie's token stands for, as long as it is neither ended nor expired. */
export async function findSession(db: Knex, token: string, now: number): Promise<BrowserSession | undefined> {
  const hash = hashSecret(token);
  const row = await db('web_sessions as t')
    .join('users as u', 'u.user_id', 't.user_id')
    .leftJoin(...SSO_OF)
    .where({ 't.token_hash': hash, 'u.kind': 'person' })
    .whereNull('t.revoked_at')
    .where('t.expires_at', '>', new Date(now))
    .first('u.*', 't.session_id', 't.expires_at', 't.last_used_at', ...PROOF);
  if (!row) return undefined;
  const {
    session_id: id,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
    signed_in_at,
    sso_connection_id,
    sso_whole_account,
    sso_organization_id,
    ...user
  } = row;
  const proof = proofOf({ signed_in_at, sso_connection_id, sso_whole_account, sso_organization_id });
  if (!proof) return undefined;
  await markUsed(db, 'web_sessions', { token_hash: hash }, now, lastUsedAt, MARK_MS);
  return { id, user, expiresAt, proof: { ...proof, ...(signed_in_at && { signed_in_at: signed_in_at.getTime() }) } };
}
