import type { RunInputOut } from '#contract/runs/traces.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import type { ReceiptsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { whereMay } from '../../kernel/policy.ts';
import { contentOf, shownContent, valueIn } from '../content/read.ts';

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
  const stored = await storedInput(ctx, i.run_id);
  if (row) return { run_id: i.run_id, args: objectOf(row.args) ?? stored, input_sha256: row.input_sha256 };
  // A run that only computed has no row: its receipt has the hash.
  const receipt = await ctx
    .db('receipts')
    .where({ run_id: i.run_id, source: 'platform' })
    .where(whereMay(ctx.actor, 'run.read', { owner: 'caller_user_id' }))
    .first('payload');
  if (!receipt) {
    if (stored) return { run_id: i.run_id, args: stored, input_sha256: null };
    throw new NotFound('run_not_found', `You have no run ${i.run_id}`);
  }
  return { run_id: i.run_id, args: stored, input_sha256: payloadOf(receipt).input_sha256 };
}

/** Of a plain call whose account keeps it. */
async function storedInput({ db, actor, clock }: Ctx, runId: string): Promise<Record<string, unknown> | null> {
  if (actor.kind !== 'user') return null;
  return objectOf(valueIn(shownContent(await contentOf(db, runId), actor.user_id, clock())?.input));
}

/** Several calls at once are stored as a list, which is not the arguments of one call. */
function objectOf(args: unknown): Record<string, unknown> | null {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args } : null;
}

// Safe: the platform's receipts are stored as they were signed, in this shape.
function payloadOf(row: Pick<ReceiptsRow, 'payload'>): ReceiptPayload {
  return row.payload as ReceiptPayload;
}
