import type { Knex } from 'knex';
import type { UsersRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { proofOf } from '../../kernel/sso.ts';
import { markUsed } from '../mark-used.ts';

const MARK_MS = 600_000;

export interface FoundSession {
  user: UsersRow;
  expiresAt: Date;
  /** Of the actor that it makes. */
  proof: Pick<UserActor, 'sso' | 'signed_in_at'>;
}

/** The session a cookie's token stands for, as long as it is neither ended nor expired. */
export async function findSession(db: Knex, token: string, now: number): Promise<FoundSession | undefined> {
  const hash = hashSecret(token);
  const row = await db('web_sessions as s')
    .join('users as u', 'u.user_id', 's.user_id')
    .where({ 's.token_hash': hash, 'u.kind': 'person' })
    .whereNull('s.revoked_at')
    .where('s.expires_at', '>', new Date(now))
    .first('u.*', 's.expires_at', 's.last_used_at', 's.signed_in_at', 's.sso_connection_id');
  if (!row) return undefined;
  const { expires_at: expiresAt, last_used_at: lastUsedAt, signed_in_at, sso_connection_id, ...user } = row;
  await markUsed(db, 'web_sessions', { token_hash: hash }, now, lastUsedAt, MARK_MS);
  const proof = { ...proofOf({ signed_in_at, sso_connection_id }), ...(signed_in_at && { signed_in_at: signed_in_at.getTime() }) };
  return { user, expiresAt, proof };
}
