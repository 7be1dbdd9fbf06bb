// Pays one creator of a run: one transfer, under the key of its row, however often this comes.
import type { Knex } from 'knex';
import { PaymentsFailed } from '#drivers/payments/port.ts';
import type { PayoutTransfersRow } from '#db/tables.ts';
import { system } from '../../../kernel/act.ts';
import { audit } from '../../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { accountOf, platformAccount } from '../../ledger/accounts.ts';
import { post } from '../../ledger/post.ts';
import { paymentsOf } from '../../processor/ask.ts';

/** Processors forget keys after a day: later, the same request could be a second transfer. */
const KEY_MS = 20 * 3_600_000;

/** @throws Error where the processor was not reached: try again */
export async function pay(ctx: Ctx, transferId: string): Promise<void> {
  const row = await begin(ctx, transferId);
  if (!row) return;
  const { destination, amount_micros, run_id } = row;
  try {
    const request = { destination, cents: amount_micros / 10_000, group: run_id, reference: transferId, key: transferId };
    const sent = await paymentsOf(ctx).transfer(request);
    await system(ctx, (ctx) => markPaid(ctx, row, sent.id));
  } catch (error) {
    if (!(error instanceof PaymentsFailed) || error.retry) throw error;
    await failed(ctx, row, { code: error.code, message: error.message });
  }
}

async function begin(ctx: Ctx, transfer_id: string): Promise<PayoutTransfersRow | undefined> {
  const now = ctx.clock();
  const [row] = await ctx
    .db('payout_transfers')
    .where({ transfer_id, state: 'pending' })
    .update({ sent_at: ctx.db.raw('coalesce(sent_at, ?)', [new Date(now)]) })
    .returning('*');
  if (row?.sent_at && now - row.sent_at.getTime() > KEY_MS)
    throw new Error(`it is unknown whether the transfer ${transfer_id} was sent: look for its run ${row.run_id} at the processor (deploy/runbooks/payouts.md)`);
  return row;
}

/** Once. What is less than a cent is a line of the next run. */
export async function markPaid(
  ctx: TxCtx,
  { transfer_id, creator_id, amount_micros, lines_micros, run_id }: PayoutTransfersRow,
  processor_id: string,
): Promise<void> {
  const at = new Date(ctx.clock());
  const moved = await ctx.db('payout_transfers').where({ transfer_id, state: 'pending' }).update({ state: 'paid', processor_id, ended_at: at });
  if (moved === 0) return;
  await ctx.db('payout_lines').where({ transfer_id, state: 'in_run' }).update({ state: 'paid' });
  await carry(ctx.db, creator_id, lines_micros - amount_micros, at);
  await postPayout(ctx.db, { transfer_id, run_id, creator_id, micros: amount_micros, at });
  await audit(ctx, 'payout.paid', { transfer: transfer_id }, { run_id, amount_micros });
}

async function carry(tx: Knex, creator_id: string, micros: number, at: Date): Promise<void> {
  if (micros === 0) return;
  const amounts = { charged_micros: micros, creator_micros: micros, received_micros: micros, amount_micros: micros };
  await tx('payout_lines').insert({
    line_id: newId('pol', at.getTime()),
    kind: 'carry',
    state: 'owed',
    creator_id,
    ...amounts,
    reason: 'rounding',
    at,
    created_at: at,
  });
}

interface Payout {
  transfer_id: string;
  run_id: string;
  creator_id: string;
  micros: number;
  at: Date;
}

async function postPayout(tx: Knex.Transaction, { transfer_id, run_id, creator_id, micros, at }: Payout): Promise<void> {
  const [from, to] = [await accountOf(tx, 'earnings', creator_id), await platformAccount(tx, 'payouts', transfer_id)];
  const lines = [{ accountId: from, micros: -micros }, { accountId: to, micros }]; // prettier-ignore
  await post(tx, { key: `payout:${transfer_id}`, kind: 'payout', lines, refs: { transfer_id, run_id }, at: at.getTime() });
}

async function failed(ctx: Ctx, { transfer_id, run_id }: PayoutTransfersRow, error: { code: string; message: string }): Promise<void> {
  await system(ctx, async (ctx) => {
    const end = { state: 'failed' as const, error: JSON.stringify(error), ended_at: new Date(ctx.clock()) };
    const moved = await ctx.db('payout_transfers').where({ transfer_id, state: 'pending' }).update(end);
    if (moved === 0) return;
    await ctx.db('payout_lines').where({ transfer_id, state: 'in_run' }).update({ state: 'failed' });
    await audit(ctx, 'payout.failed', { transfer: transfer_id }, { run_id, code: error.code });
  });
}
