// A token of one agent as it is stored: by its hash, with whose account it acts on.
import type { Knex } from 'knex';
import type { UserActor } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { newPlatformToken } from '../secret.ts';
import { openTokens, apiTokenColumns, type ShownToken, type TokenPlacement } from './open.ts';

const DAY_MS = 86_400_000;

export interface NewToken {
  agentId: string;
  label: string;
  /** Skills; null: all. */
  scopes: readonly string[] | null;
  days: number;
  /** Null: an API token; else an integration link. */
  placement: TokenPlacement | null;
}

/**
 * The caller has asked whether the user may. The agent is locked: tokens that are made at the same time are
 * counted one after the other, and a deletion revokes them all.
 */
export async function countOpenTokens(tx: Knex.Transaction, agentId: string, now: number, kind: 'api' | 'link'): Promise<number> {
  await tx('agents').where({ agent_id: agentId }).forUpdate().first('agent_id');
  const [open] = await openTokens(tx, agentId, now, kind).count<{ count: string }[]>('* as count');
  return Number(open?.count);
}

/** Resolves with the token, which is stored nowhere, and its row. */
export async function storeToken(
  tx: Knex.Transaction,
  user: Pick<UserActor, 'user_id'>,
  now: number,
  { agentId, label, scopes, days, placement }: NewToken,
): Promise<{ token: string; tokenId: string; row: ShownToken }> {
  const token = newPlatformToken();
  const tokenId = newId('tok', now);
  const [row] = await tx('platform_tokens')
    .insert({
      token_id: tokenId,
      token_hash: hashSecret(token),
      kind: 'agent_api',
      user_id: user.user_id,
      agent_id: agentId,
      label,
      skills: scopes === null ? null : [...new Set(scopes)],
      created_at: new Date(now),
      expires_at: new Date(now + days * DAY_MS),
      placement,
    })
    .returning(apiTokenColumns);
  if (!row) throw new Error('the token was not stored');
  return { token, tokenId, row };
}
