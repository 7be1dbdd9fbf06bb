// Who is behind an agent-origin session.
import type { Knex } from 'knex';
import { hashSecret } from '../../kernel/secret.ts';

export interface FoundAgentSession {
  tokenId: string;
  agentId: string;
  user: { user_id: string; email: string; name: string | null };
  expiresAt: Date;
}

/** By the token's hash, for that agent alone: undefined when unknown, ended, expired, or another agent's. */
export function findAgentSession(db: Knex, { agentId, token }: { agentId: string; token: string }, now: number): Promise<FoundAgentSession | undefined> {
  return find(db, { 't.token_hash': hashSecret(token), 't.agent_id': agentId }, now);
}

export function findAgentSessionById(db: Knex, tokenId: string, now: number): Promise<FoundAgentSession | undefined> {
  return find(db, { 't.token_id': tokenId }, now);
}

async function find(db: Knex, by: Record<string, string>, now: number): Promise<FoundAgentSession | undefined> {
  const row = await db('platform_tokens as t')
    .join('users as u', 'u.user_id', 't.user_id')
    .where({ ...by, 't.kind': 'agent_session' })
    .whereNull('t.revoked_at')
    .where('t.expires_at', '>', new Date(now))
    .whereRaw('not exists (select 1 from control_policies p where p.user_id = u.user_id and p.suspended)')
    .first('t.token_id', 't.agent_id', 't.expires_at', 'u.user_id', 'u.email', 'u.name');
  if (!row?.expires_at || !row.agent_id) return undefined;
  const { token_id: tokenId, agent_id: agentId, expires_at: expiresAt, ...user } = row;
  return { tokenId, agentId, user, expiresAt };
}
