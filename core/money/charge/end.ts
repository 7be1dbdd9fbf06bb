// A charge ends once: settled with the receipt of its call, or released. Posting is the last thing that the transaction does, since others wait for the
// same accounts.
import type { Knex } from 'knex';
import type { ReceiptCharge } from '#contract/wire/receipt.ts';
import { beforeCommit } from '../../kernel/after-commit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { setting } from '../../kernel/settings.ts';
import { accountOf, platformAccount } from '../ledger/accounts.ts';
import { release, settle } from '../ledger/hold.ts';
import type { Line } from '../ledger/post.ts';
import { holdKey } from './begin.ts';
import { freeBudgets } from './budgets.ts';
import type { HeldCharge } from './held.ts';

const BASIS_POINTS = 10_000;

/** With the row of the charge held. `receiptId`: of the receipt that says the same. A charge of which nothing was counted is released. */
export function settleCharge(tx: Knex.Transaction, ctx: Ctx, held: HeldCharge, charge: ReceiptCharge, receiptId: string): void {
  if (charge.units.calls === 0) return releaseCharge(tx, ctx, held, receiptId);
  beforeCommit(tx, async () => {
    const at = ctx.clock();
    const amount = charge.amount_micros;
    const fee = Math.floor((amount * (await setting(tx, 'platform_fee_basis_points'))) / BASIS_POINTS);
    await freeBudgets(tx, held, amount);
    await end(tx, held, at, {
      state: 'settled',
      receipt_id: receiptId,
      amount_micros: amount,
      creator_micros: amount - fee,
      fee_micros: fee,
      units: JSON.stringify(charge.units),
    });
    if (amount === 0) return releaseHold(tx, held, at);
    const refs = { charge_id: held.charge_id, run_id: held.run_id, receipt_id: receiptId, agent_id: held.agent_id, price_id: held.price_id };
    const lines = await linesOf(tx, held, amount, fee);
    await settle(tx, holdKey(held.run_id), { key: `charge:${held.charge_id}`, kind: 'charge', lines, refs, at });
  });
}

/** The same for a call that costs nothing, since it did not go well or has no receipt. */
export function releaseCharge(tx: Knex.Transaction, ctx: Ctx, held: HeldCharge, receiptId: string | null): void {
  beforeCommit(tx, async () => {
    const at = ctx.clock();
    await freeBudgets(tx, held, 0);
    await end(tx, held, at, { state: 'released', receipt_id: receiptId });
    await releaseHold(tx, held, at);
  });
}

async function linesOf(tx: Knex, { payer_id, creator_id, charge_id }: HeldCharge, amount: number, fee: number): Promise<Line[]> {
  const lines = [
    { accountId: await accountOf(tx, 'wallet', payer_id), micros: -amount },
    { accountId: await accountOf(tx, 'earnings', creator_id), micros: amount - fee },
    { accountId: await platformAccount(tx, 'fees', charge_id), micros: fee },
  ];
  return lines.filter(({ micros }) => micros !== 0);
}

async function releaseHold(tx: Knex, { free, run_id }: HeldCharge, at: number): Promise<void> {
  if (!free) await release(tx, holdKey(run_id), at);
}

type Ended = { state: 'released'; receipt_id: string | null } | EndedWell;
interface EndedWell {
  state: 'settled';
  receipt_id: string;
  amount_micros: number;
  creator_micros: number;
  fee_micros: number;
  units: string;
}

async function end(tx: Knex, { charge_id }: HeldCharge, at: number, ended: Ended): Promise<void> {
  const moved = await tx('charges').where({ charge_id, state: 'held' }).update({ ...ended, ended_at: new Date(at) }); // prettier-ignore
  if (moved !== 1) throw new Error(`the charge ${charge_id} had ended`);
}
