import type { RunInputOut } from '#contract/runs/traces.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import type { ReceiptsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { whereMay } from '../../kernel/policy.ts';

/**
 * The arguments of a run, for users who may read the run. @throws NotFound run_not_found for all others, the
 * agent's owner included
 */
export async function readRunInput(ctx: Ctx, i: { run_id: string }): Promise<RunInputOut> {
  const row = await ctx
    .db('runs')
    .where({ run_id: i.run_id })
    .where(whereMay(ctx.actor, 'run.read', { owner: 'user_id', calling_run: 'parent_run_id' }))
    .first('args', 'input_sha256');
  if (row) return { run_id: i.run_id, args: objectOf(row.args), input_sha256: row.input_sha256 };
  // A run that only computed has no row: its receipt has the hash.
  const receipt = await ctx
    .db('receipts')
    .where({ run_id: i.run_id, source: 'platform' })
    .where(whereMay(ctx.actor, 'run.read', { owner: 'caller_user_id' }))
    .first('payload');
  if (!receipt) throw new NotFound('run_not_found', `You have no run ${i.run_id}`);
  return { run_id: i.run_id, args: null, input_sha256: payloadOf(receipt).input_sha256 };
}

/** Several calls at once are stored as a list, which is not the arguments of one call. */
function objectOf(args: unknown): Record<string, unknown> | null {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args } : null;
}

// Safe: the platform's receipts are stored as they were signed, in this shape.
function payloadOf(row: Pick<ReceiptsRow, 'payload'>): ReceiptPayload {
  return row.payload as ReceiptPayload;
}
