// Sums what settled charges earned, by hour, day and month of the receipts that state them. A charge is
// counted once, and marked in the transaction that counts it.
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const BATCH = 2_000;

export async function countEarned(ctx: Ctx): Promise<void> {
  while (await countNext(ctx));
}

/** False: all that is settled is counted. Charges that another worker holds are its own. */
function countNext(ctx: Ctx): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const { rows } = await ctx.db.raw<{ rows: { charges: number }[] }>(
      `with batch as materialized (
         select charge_id from charges where state = 'settled' and not counted order by agent_id, charge_id limit ${BATCH} for update skip locked
       ), marked as (
         update charges c set counted = true from batch where c.charge_id = batch.charge_id returning c.agent_id, c.skill, c.receipt_id, c.creator_micros
       ), put as (
         insert into earned_sums as s (agent_id, grain, since, skill, amount_micros)
           select a.agent_id, g.grain, date_trunc(g.grain, r.created_at, 'UTC'), m.skill, sum(m.creator_micros)::bigint
           from marked m join receipts r using (receipt_id) join agents a on a.agent_id = m.agent_id and a.deleted_at is null, (values ('hour'), ('day'), ('month')) g(grain)
           group by 1, 2, 3, 4 order by 1, 2, 3, 4
         on conflict (agent_id, grain, since, skill) do update set amount_micros = s.amount_micros + excluded.amount_micros
       )
       select count(*)::int as charges from batch`,
    );
    return rows[0]?.charges === BATCH;
  });
}
