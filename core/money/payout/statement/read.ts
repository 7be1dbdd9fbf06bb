// A statement and its receipts, for the creator who was paid.
import type { StatementPart } from '#contract/wire/statement.ts';
import type { PayoutReceiptPart } from '#contract/money/payouts.ts';
import type { PayoutTransfersRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../../kernel/errors.ts';
import { whereMay } from '../../../kernel/policy.ts';
import { statementLines } from './lines.ts';

/** @throws NotFound payout_run_not_found: also where a run paid only others; Conflict statement_not_ready */
export async function readStatement(ctx: Ctx, i: { run_id: string }): Promise<AsyncGenerator<StatementPart>> {
  const { transfer_id, statement } = await transferOf(ctx, i.run_id);
  if (statement === null)
    throw new Conflict('statement_not_ready', `The run ${i.run_id} has not paid you yet, or the statement is being signed: try again later`);
  return parts(ctx, transfer_id, statement);
}

async function* parts({ db }: Ctx, transferId: string, token: string): AsyncGenerator<StatementPart> {
  yield { type: 'statement', token };
  yield* statementLines(db, transferId);
}

async function transferOf(ctx: Ctx, run_id: string): Promise<PayoutTransfersRow> {
  const row = await ctx
    .db('payout_transfers')
    .where(whereMay(ctx.actor, 'payout.read', { owner: 'creator_id' }))
    .where({ run_id })
    .first();
  if (!row) throw new NotFound('payout_run_not_found', `No run ${run_id} paid you: list them with "svc payouts runs"`);
  return row;
}

const BATCH = 1_000;

/** Receipts that the statement names, in its order. Those that were removed with their agent are left out. */
export async function readReceipts(ctx: Ctx, i: { run_id: string }): Promise<AsyncGenerator<PayoutReceiptPart>> {
  const { transfer_id } = await transferOf(ctx, i.run_id);
  return receipts(ctx, transfer_id);
}

async function* receipts({ db }: Ctx, transfer: string): AsyncGenerator<PayoutReceiptPart> {
  let after: { day: string; line_id: string } | undefined;
  do {
    const { rows } = await db.raw<{ rows: (PayoutReceiptPart & { day: string; line_id: string })[] }>(
      `select l.line_id, l.at::text as day, r.receipt_id, r.token from payout_lines l join receipts r using (receipt_id)
       where l.transfer_id = :transfer ${after ? 'and (l.at, l.line_id) > (:day::timestamptz, :line_id)' : ''} order by l.at, l.line_id limit ${BATCH}`,
      { transfer, ...after },
    );
    for (const { receipt_id, token } of rows) yield { receipt_id, token };
    after = rows.length === BATCH ? rows.at(-1) : undefined;
  } while (after);
}
