// Who is behind an agent-origin session: looked up by the token's hash, for that agent alone.
import type { Knex } from 'knex';
import { hashSecret } from '../secret.ts';

export interface FoundAgentSession {
  tokenId: string;
  user: { user_id: string; email: string; name: string | null };
  expiresAt: Date;
}

/** Undefined when unknown, ended, expired, or another agent's. */
export async function findAgentSession(db: Knex, { agentId, token }: { agentId: string; token: string }, now: number): Promise<FoundAgentSession | undefined> {
  const row = await db('platform_tokens as t')
    .join('users as u', 'u.user_id', 't.user_id')
    .where({ 't.token_hash': hashSecret(token), 't.kind': 'agent_session', 't.agent_id': agentId })
    .whereNull('t.revoked_at')
    .where('t.expires_at', '>', new Date(now))
    .first('t.token_id', 't.expires_at', 'u.user_id', 'u.email', 'u.name');
  if (!row?.expires_at) return undefined;
  const { token_id: tokenId, expires_at: expiresAt, ...user } = row;
  return { tokenId, user, expiresAt };
}
