// A charge ends once: settled with the receipt of its call, or released. Posting is the last thing that the
// transaction does, since others wait for the same accounts.
import type { Knex } from 'knex';
import type { ReceiptCharge } from '#contract/wire/receipt.ts';
import { beforeCommit } from '../../kernel/after-commit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { setting } from '../../kernel/settings.ts';
import { accountOf, platformAccount } from '../ledger/accounts.ts';
import { release } from '../ledger/hold.ts';
import { covered, type Line } from '../ledger/post.ts';
import { holdKey } from './begin.ts';
import { freeBudgets } from './budgets.ts';
import type { OpenCharge } from './open-charge.ts';

const BASIS_POINTS = 10_000;

/**
 * With the row of the charge held. `receiptId`: of the receipt that says the same. A charge of which nothing
 * was counted is released.
 */
export function settleCharge(ctx: TxCtx, held: OpenCharge, charge: ReceiptCharge, receiptId: string): void {
  if (charge.units.calls === 0) return releaseCharge(ctx, held, receiptId);
  beforeCommit(ctx.db, async () => {
    const at = ctx.clock();
    const amount = charge.amount_micros;
    const fee = Math.floor((amount * (await setting(ctx.db, 'platform_fee_basis_points'))) / BASIS_POINTS);
    const lines = amount === 0 ? [] : await linesOf(ctx.db, held, amount, fee);
    const refs = { charge_id: held.charge_id, run_id: held.run_id, receipt_id: receiptId, agent_id: held.agent_id, price_id: held.price_id };
    const bindings = {
      charge: held.charge_id,
      receipt: receiptId,
      amount,
      creator: amount - fee,
      fee,
      units: JSON.stringify(charge.units),
      at: new Date(at),
      transaction: newId('ltx', at),
      refs: JSON.stringify(refs),
      accounts: lines.map(({ accountId }) => accountId),
      amounts: lines.map(({ micros }) => micros),
    };
    const sql = 'select charge_settle(:charge, :receipt, :amount, :creator, :fee, :units, :at, :transaction, :refs, :accounts, :amounts)';
    await covered(ctx.db.raw(sql, bindings).options({ name: 'charge_settle' }));
    await freeBudgets(ctx.db, held, amount);
  });
}

/** The same for a call that costs nothing, since it did not go well or has no receipt. */
export function releaseCharge(ctx: TxCtx, held: OpenCharge, receiptId: string | null): void {
  beforeCommit(ctx.db, async () => {
    const at = ctx.clock();
    const ended = { state: 'released' as const, receipt_id: receiptId, ended_at: new Date(at) };
    const moved = await ctx.db('charges').where({ charge_id: held.charge_id, state: 'held' }).update(ended);
    if (moved !== 1) throw new Error(`the charge ${held.charge_id} had ended`);
    if (!held.free) await release(ctx.db, holdKey(held.run_id), at);
    await freeBudgets(ctx.db, held, 0);
  });
}

async function linesOf(tx: Knex, { payer_id, creator_id, charge_id }: OpenCharge, amount: number, fee: number): Promise<Line[]> {
  const lines = [
    { accountId: await accountOf(tx, 'wallet', payer_id), micros: -amount },
    { accountId: await accountOf(tx, 'earnings', creator_id), micros: amount - fee },
    { accountId: await platformAccount(tx, 'fees', charge_id), micros: fee },
  ];
  return lines.filter(({ micros }) => micros !== 0);
}
