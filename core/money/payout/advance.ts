// Moves lines towards a run: a line is held from its sealed receipt on for as long as a payment may be taken back, and until its creator can be paid.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { setting } from '../../kernel/settings.ts';
import { accrue } from './accrue/accrue.ts';
import { refreshAccounts } from './account/refresh.ts';

const BATCH = 5_000;

/** One round of the loop: lines of what was charged since, then their moves. */
export async function advancePayouts(ctx: Ctx): Promise<void> {
  await accrue(ctx);
  await refreshAccounts(ctx);
  await moveLines(ctx);
}

export async function moveLines({ db, clock }: Ctx): Promise<void> {
  const now = new Date(clock());
  const days = await setting(db, 'payout_hold_days');
  while ((await hold(db, days)) === BATCH);
  while ((await owe(db, now)) === BATCH);
}

/** A receipt qualifies when the platform sealed it and the call ended ok; that its caller is another account was asked when its line was made. */
async function hold(db: Knex, days: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `with found as (
       select l.line_id, l.kind = 'bounty' or (r.source = 'platform' and r.status = 'ok') as qualifies, r.receipt_id, r.payload_sha256
       from payout_lines l left join charges c using (charge_id) left join receipts r on r.receipt_id = c.receipt_id and r.agent_id = c.agent_id
       where l.state = 'accrued' and (l.kind = 'bounty' or r.receipt_id is not null) limit ${BATCH}
     )
     update payout_lines l set state = case when f.qualifies then 'held' else 'cancelled' end, amount_micros = case when f.qualifies then l.amount_micros else 0 end,
            reason = case when f.qualifies then null else 'not_ok' end, receipt_id = f.receipt_id, receipt_sha256 = f.payload_sha256,
            hold_until = l.at + make_interval(days => :days)
     from found f where f.line_id = l.line_id and l.state = 'accrued'`,
    { days },
  );
  return rowCount;
}

async function owe(db: Knex, now: Date): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update payout_lines l set state = 'owed' where l.state = 'held' and l.line_id in (
       select h.line_id from payout_lines h join payout_accounts a on a.user_id = h.creator_id and a.payouts_enabled
       where h.state = 'held' and h.hold_until <= :now limit ${BATCH}
     )`,
    { now },
  );
  return rowCount;
}
