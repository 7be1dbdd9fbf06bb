// Whose hand-off a code is, without using it: a page asks the user before a link from another person signs
// them in.
import type { Knex } from 'knex';
import { hashSecret } from '../../kernel/secret.ts';

/** Undefined for a code that is unknown, used, expired, or another agent's. */
export async function peekAgentCode(db: Knex, { agentId, code }: { agentId: string; code: string }, now: number): Promise<{ email: string } | undefined> {
  return db('one_time_codes as c')
    .join('users as u', 'u.user_id', 'c.user_id')
    .where({ 'c.code_hash': hashSecret(code), 'c.kind': 'agent_session', 'c.audience': agentId })
    .whereNull('c.used_at')
    .where('c.expires_at', '>', new Date(now))
    .first('u.email');
}
