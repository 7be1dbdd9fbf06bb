// Browser sessions: a random token in a cookie, its hash in a row. Every sign-in gets a new one, so that nobody can plant theirs.
import type { Knex } from 'knex';
import type { TxCtx } from '../../kernel/ctx.ts';
import { audit } from '../../kernel/audit.ts';
import { newId } from '../../kernel/ids.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';

export const SESSION_SECONDS = 14 * 86_400;

export interface NewSession {
  token: string;
  expiresAt: Date;
}

/** `replaces`: the session token the browser brought, which ends here. */
export async function createSession(tx: Knex.Transaction, ctx: TxCtx, userId: string, replaces: string | undefined): Promise<NewSession> {
  const now = ctx.clock();
  const token = newSecret();
  const expiresAt = new Date(now + SESSION_SECONDS * 1000);
  const sessionId = newId('ses', now);
  if (replaces !== undefined) await endSession(tx, replaces, now);
  await tx('web_sessions').insert({
    session_id: sessionId,
    token_hash: hashSecret(token),
    user_id: userId,
    created_at: new Date(now),
    last_used_at: new Date(now),
    expires_at: expiresAt,
  });
  await audit(tx, ctx, 'session.create', sessionId, { user_id: userId });
  return { token, expiresAt };
}

/** True when there was one to end. */
export async function endSession(db: Knex, token: string, now: number): Promise<string | undefined> {
  const [ended] = await db('web_sessions')
    .where({ token_hash: hashSecret(token) })
    .whereNull('revoked_at')
    .update({ revoked_at: new Date(now) })
    .returning('session_id');
  return ended?.session_id;
}
