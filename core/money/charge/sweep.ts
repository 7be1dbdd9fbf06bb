// Charges that are held although their call is over: what ended it did not know of them. Settled as its
// receipt says, or released, once.
import { ReceiptCharge } from '#contract/wire/receipt.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { openRunStates } from '../../kernel/run-state.ts';
import { CHARGE_DAYS } from './begin.ts';
import { releaseCharge, settleCharge } from './end.ts';
import { OPEN_CHARGE, type OpenCharge } from './open-charge.ts';

const BATCH = 200;
/** A call that begins or ends at this moment is skipped. */
const SETTLED_AFTER_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Over, by the rows: no process holds the call, and no run of it is open. A call that is as old is over,
 * whatever they say.
 */
const OVER = `(c.started_at < :oldest or (
  not exists (select 1 from open_calls o where o.receipt_id is null and o.call->'run'->>'run_id' = c.run_id)
  and not exists (select 1 from runs r where r.run_id = c.run_id and r.state in (${openRunStates}))))`;

/** Resolves with the ids of the runs whose charges it ended. */
export async function sweepCharges(ctx: Ctx): Promise<string[]> {
  const now = ctx.clock();
  const bindings = { before: new Date(now - SETTLED_AFTER_MS), oldest: new Date(now - CHARGE_DAYS * DAY_MS) };
  const { rows } = await ctx.db.raw<{ rows: { run_id: string }[] }>(
    `select c.run_id from charges c where c.state = 'held' and c.started_at < :before and ${OVER} order by c.started_at limit ${BATCH}`,
    bindings,
  );
  for (const { run_id } of rows) await system(ctx, (ctx) => endOne(ctx, run_id));
  return rows.map(({ run_id }) => run_id);
}

async function endOne(ctx: TxCtx, runId: string): Promise<void> {
  const { rows } = await ctx.db.raw<{ rows: { charge: OpenCharge }[] }>(OPEN_CHARGE, { runId });
  const charge = rows[0]?.charge;
  if (!charge) return;
  const receipt = await ctx.db('receipts').where({ run_id: runId, source: 'platform' }).orderBy('seq').first('receipt_id', 'payload');
  const parsedCharge = ReceiptCharge.safeParse(Object(receipt?.payload).charge);
  const sound =
    parsedCharge.success &&
    parsedCharge.data.charge_id === charge.charge_id &&
    parsedCharge.data.amount_micros <= charge.held_micros &&
    (charge.free || charge.covered);
  if (receipt && sound) settleCharge(ctx, charge, parsedCharge.data, receipt.receipt_id);
  // Without a valid receipt the hold is released.
  else releaseCharge(ctx, charge, receipt?.receipt_id ?? null);
}
