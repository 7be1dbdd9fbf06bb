// Browser sessions: a random token in a cookie, its hash in a row. Every sign-in gets a new one, so that an
// attacker cannot plant theirs.
import type { Knex } from 'knex';
import type { TxCtx } from '../../kernel/ctx.ts';
import { audit } from '../../kernel/audit.ts';
import { Gone } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';
import { proofColumns, type SsoProof } from '../../kernel/sso.ts';

export const SESSION_SECONDS = 14 * 86_400;

export interface NewSession {
  token: string;
  expiresAt: Date;
}

export interface SessionOf {
  userId: string;
  /** The session token the browser brought, which ends here. */
  replaces: string | undefined;
  /** The person has proved at this moment who they are; absent: a link stands for an earlier proof. */
  signedIn?: boolean;
  /** By the own sign-in of an organization: the session ends when that says so. */
  sso?: SsoProof | undefined;
}

/** @throws Gone code_gone when the organization's sign-in no longer exists, or was too long ago */
export async function createSession(ctx: TxCtx, of: SessionOf): Promise<NewSession> {
  const { userId, replaces, signedIn = false, sso } = of;
  const now = ctx.clock();
  const token = newSecret();
  const expiresAt = new Date(Math.min(now + SESSION_SECONDS * 1000, sso === undefined ? Infinity : await ssoEnd(ctx.db, sso, now)));
  const sessionId = newId('ses', now);
  if (replaces !== undefined) await endSession(ctx.db, replaces, now);
  await ctx.db('web_sessions').insert({
    session_id: sessionId,
    token_hash: hashSecret(token),
    user_id: userId,
    created_at: new Date(now),
    last_used_at: new Date(now),
    expires_at: expiresAt,
    signed_in_at: signedIn ? new Date(now) : null,
    ...proofColumns(sso),
    ...fromColumns(ctx),
  });
  await audit(ctx, 'session.create', { web_session: sessionId }, { user_id: userId, ...(sso && { sso_connection: sso.connection_id }) });
  return { token, expiresAt };
}

/** From where it was signed in, as two columns of a row keep it. */
export function fromColumns({ from }: Pick<TxCtx, 'from'>): { address?: string; user_agent?: string | null } {
  return from === undefined ? {} : { address: from.address.slice(0, 64), user_agent: from.userAgent?.slice(0, 300) ?? null };
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

/** When what was begun by an organization's sign-in has to end. @throws Gone code_gone */
export async function ssoEnd(db: Knex, { connection_id, at }: SsoProof, now: number): Promise<number> {
  const connection = await db('sso_connections').where({ connection_id }).first('session_hours');
  const end = connection === undefined ? 0 : at + connection.session_hours * 3_600_000;
  if (end <= now) throw new Gone('code_gone', 'The sign-in that this belongs to is over: sign in again');
  return end;
}
