import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentApiTokenOut } from '#contract/agents/agent-api-tokens.ts';
import type { PlatformTokensRow } from '#db/tables.ts';

/** All that is shown of a token after it was made. */
export const shownColumns = ['number', 'label', 'skills', 'created_at', 'expires_at', 'last_used_at'] as const;

/** The tokens of an agent that open it now. */
export function openTokens(db: Knex, agentId: string, now: number) {
  return db('platform_tokens').where({ agent_id: agentId, kind: 'agent_api' }).whereNull('revoked_at').where('expires_at', '>', new Date(now));
}

export function presentApiToken(row: Pick<PlatformTokensRow, (typeof shownColumns)[number]>): z.infer<typeof AgentApiTokenOut> {
  if (row.expires_at === null) throw new Error(`token ${row.number} never expires: openTokens does not find such tokens`);
  return {
    token_id: row.number,
    label: row.label,
    scopes: row.skills,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
