import type { PayoutRunOut } from '#contract/money/payouts.ts';
import type { PayoutRunsRow, PayoutTransfersRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { newestPage } from '../../../kernel/keyset.ts';
import type { Page } from '../../../kernel/page.ts';
import { requireUser } from '../../../kernel/policy.ts';
import { storedFault } from '../../../kernel/errors.ts';

type Row = PayoutTransfersRow & { run_state: PayoutRunsRow['state'] };

/** Those that paid the caller, or tried to. */
export async function listPayoutRuns(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<PayoutRunOut>> {
  const { user_id } = requireUser(ctx, 'payout.read');
  const query = ctx
    .db('payout_transfers as t')
    .join('payout_runs as r', 'r.run_id', 't.run_id')
    .where('t.creator_id', user_id)
    .select<Row[]>('t.*', 'r.state as run_state');
  return newestPage(query, ['t.created_at', 't.transfer_id'], i, present);
}

function present(row: Row): PayoutRunOut {
  return {
    run_id: row.run_id,
    state: row.run_state,
    transfer: row.state,
    amount_micros: row.amount_micros,
    reversed_micros: row.reversed_micros,
    lines: row.lines,
    has_statement: row.statement !== null,
    root_sha256: row.root_sha256,
    error: storedFault(row.error),
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}
