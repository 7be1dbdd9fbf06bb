import type { z } from 'zod';
import type { AgentSecretOut } from '#contract/agents/agent-secrets.ts';
import type { AgentSecretsRow } from '#db/tables.ts';
import { injectionOf } from './open.ts';

/** The only columns that are shown. */
export const secretColumns = ['name', 'version', 'inject', 'created_at', 'updated_at'] as const;

export function presentSecret(row: Pick<AgentSecretsRow, (typeof secretColumns)[number]>): z.infer<typeof AgentSecretOut> {
  return {
    key: row.name,
    version: row.version,
    inject: injectionOf(row.inject),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
