// The one writer of a wait's outcome, which a user, its deadline or a rule decides. Row and audit log hold
// the same.
import type { WaitsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import type { StoredResolution, WaitState } from './model.ts';

export interface Decided {
  state: Exclude<WaitState, 'pending'>;
  resolution: StoredResolution;
}

export interface DecidedBy {
  /** user_id; null: its deadline or a rule. */
  person: string | null;
  /** For the audit log: who decided, and facts of it. */
  facts: Record<string, unknown>;
}

/** The row as it is afterwards. A resolved wait stays as it is, and nothing is recorded. */
export async function writeWaitOutcome(ctx: TxCtx, row: WaitsRow, { state, resolution }: Decided, { person, facts }: DecidedBy): Promise<WaitsRow> {
  const [closed] = await ctx
    .db('waits')
    .where({ wait_id: row.wait_id, state: 'pending' })
    .update({ state, resolution: storableJson(resolution), resolved_by: person, resolved_at: new Date(ctx.clock()).toISOString() })
    .returning('*');
  if (!closed) return row;
  const details = { kind: row.kind, run_id: row.run_id, grant_id: resolution.grant_id ?? null, ...facts };
  // A rule's deadline is the platform's doing, and belongs into the log of the organization.
  await audit(ctx, `wait.${state}`, { wait: row.wait_id }, details, row.approval === null ? undefined : row.asked_of);
  return closed;
}
