import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentApiTokenOut } from '#contract/identity/agent-api-tokens.ts';
import type { PlatformTokensRow } from '#db/tables.ts';

/** Where programs send the token of an integration link. */
export type TokenPlacement = NonNullable<PlatformTokensRow['placement']>;

/** All that is shown of a token after it was made. */
export const apiTokenColumns = ['number', 'label', 'skills', 'created_at', 'expires_at', 'last_used_at', 'placement'] as const;
export type ShownToken = Pick<PlatformTokensRow, (typeof apiTokenColumns)[number]>;

/** The API tokens of an agent, or its integration links, that open it now. */
export function openTokens(db: Knex, agentId: string, now: number, kind: 'api' | 'link' = 'api') {
  const open = db('platform_tokens').where({ agent_id: agentId, kind: 'agent_api' }).whereNull('revoked_at').where('expires_at', '>', new Date(now));
  return kind === 'api' ? open.whereNull('placement') : open.whereNotNull('placement');
}

export function presentApiToken(row: ShownToken): z.infer<typeof AgentApiTokenOut> {
  return { token_id: row.number, ...presentToken(row) };
}

/** What an API token and an integration link have in common. */
export function presentToken(row: ShownToken): Omit<z.infer<typeof AgentApiTokenOut>, 'token_id'> {
  if (row.expires_at === null) throw new Error(`token ${row.number} never expires: openTokens does not find such tokens`);
  return {
    label: row.label,
    scopes: row.skills,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
