// Moves lines towards a run: a line is held from its sealed receipt on for as long as a payment may be taken
// back, and until its creator can be paid.
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

export async function moveLines({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<void> {
  const days = await setting(db, 'payout_hold_days');
  for (let after: string | null = ''; after !== null;) after = await hold(db, { days, after });
  await owe(db, new Date(clock()));
}

/**
 * A receipt qualifies when the platform sealed it and the call ended ok; that its caller is another account
 * was asked when its line was made. Resolves with the last line it looked at; null: none is left.
 */
async function hold(db: Knex, i: { days: number; after: string }): Promise<string | null> {
  const { rows } = await db.raw<{ rows: [{ last: string | null }] }>(
    `with batch as materialized (
       select line_id, charge_id, kind from payout_lines where state = 'accrued' and line_id > :after order by line_id limit ${BATCH}
     ), found as materialized (
       select b.line_id, b.kind = 'bounty' or (r.source = 'platform' and r.status = 'ok') as qualifies, r.receipt_id, r.payload_sha256
       from batch b left join charges c using (charge_id) left join receipts r on r.receipt_id = c.receipt_id and r.agent_id = c.agent_id
       where b.kind = 'bounty' or r.receipt_id is not null
     ), moved as (
       update payout_lines l set state = case when f.qualifies then 'held' else 'cancelled' end, amount_micros = case when f.qualifies then l.amount_micros else 0 end,
              reason = case when f.qualifies then null else 'not_ok' end, receipt_id = f.receipt_id, receipt_sha256 = f.payload_sha256,
              hold_until = l.at + make_interval(days => :days)
       from found f where f.line_id = l.line_id and l.state = 'accrued'
     ) select max(line_id) as last from batch`,
    i,
  );
  return rows[0].last;
}

async function owe(db: Knex, now: Date): Promise<void> {
  await db.raw(
    `update payout_lines set state = 'owed'
     where state = 'held' and hold_until <= :now and creator_id in (select user_id from payout_accounts where payouts_enabled)`,
    { now },
  );
}
