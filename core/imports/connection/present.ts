import type { z } from 'zod';
import type { AgentAuthConnectionOut } from '#contract/imports/agent-auth.ts';
import type { AgentConnectionsRow } from '#db/tables.ts';
import { connectionFacts } from './model.ts';
import { storedFault } from '../../kernel/errors.ts';

export const connectionColumns = [
  'connection_id',
  'kind',
  'scheme_name',
  'state',
  'facts',
  'failure',
  'expires_at',
  'refreshed_at',
  'created_at',
  'updated_at',
] as const satisfies (keyof AgentConnectionsRow)[];

export function presentConnection(row: Pick<AgentConnectionsRow, (typeof connectionColumns)[number]>): z.infer<typeof AgentAuthConnectionOut> {
  const { kind, scheme_name, state, connection_id } = row;
  return {
    connection_id,
    kind,
    scheme_name,
    state,
    failure: storedFault(row.failure),
    ...connectionFacts(row),
    expires_at: row.expires_at?.toISOString() ?? null,
    refreshed_at: row.refreshed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
