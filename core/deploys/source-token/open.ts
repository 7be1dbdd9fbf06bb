import type { Knex } from 'knex';
import type { SourceTokenActor } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';

/** Undefined when unknown, released or expired, or when its agent is gone. */
export async function sourceTokenActor(db: Knex, token: string, now: number): Promise<SourceTokenActor | undefined> {
  const row = await db('source_tokens as t')
    .join('agents as a', 'a.agent_id', 't.agent_id')
    .where('t.token_hash', hashSecret(token))
    .whereNull('t.revoked_at')
    .whereRaw('sign_in_holds(t.opened_by)')
    .whereNull('a.deleted_at')
    .where('t.expires_at', '>', new Date(now))
    .first('t.token_name', 't.agent_id', 't.owner_id', 't.mode', 'a.name');
  return row && { kind: 'source_token', token_name: row.token_name, agent_id: row.agent_id, agent_name: row.name, owner_id: row.owner_id, mode: row.mode };
}
