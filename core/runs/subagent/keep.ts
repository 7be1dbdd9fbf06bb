// The arguments of a call between agents, kept so that its user can repeat it.
import type { Knex } from 'knex';
import { storableJson } from '../../kernel/storable.ts';

/** Larger ones are not kept. */
export const MAX_ARGS_BYTES = 262_144;

/** Of the call that became this run; arguments that are no object, or too large, are not kept. */
export async function keepArgs(tx: Knex.Transaction, runId: string, args: unknown): Promise<void> {
  const json = storableArgs(args);
  if (json !== undefined) await tx('subagent_runs').where({ run_id: runId }).update({ args: json });
}

/** As it is stored. */
export function storableArgs(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const json = storableJson(args);
  return Buffer.byteLength(json) <= MAX_ARGS_BYTES ? json : undefined;
}
