// Scorecards grow with the receipts: those sealed since the last time are added, in their order, however many
// there are in all.
import { HALF_LIFE_DAYS } from '#contract/studio/scorecard.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { firstId } from '../../kernel/ids.ts';

/** A receipt with an earlier id may still be on its way. */
const SETTLED_MS = 60_000;
const A_BATCH = 5_000;
/** The caller's doing, not the agent's. */
export const CALLERS_FAULTS: readonly string[] = ['invalid_input', 'cancelled_by_caller', 'policy_denied', 'insufficient_credits'];
const NOT_ITS_FAULT = `(${CALLERS_FAULTS.map((code) => `'${code}'`).join(', ')})`;

/** Resolves with how many receipts were counted. */
export async function countScorecards(ctx: Ctx): Promise<number> {
  const until = firstId('rcp', ctx.clock() - SETTLED_MS);
  let all = 0;
  for (;;) {
    const counted = await countBatch(ctx, until);
    all += counted;
    if (counted < A_BATCH) return all;
  }
}

async function countBatch(ctx: Ctx, until: string): Promise<number> {
  return system(ctx, async (ctx) => {
    // Another worker counts now.
    const cursor = await ctx.db('scorecard_cursor').forUpdate().skipLocked().first('receipt_id');
    if (!cursor) return 0;
    const { rows } = await ctx.db.raw<{ rows: { counted: number; last: string | null }[] }>(
      `with batch as materialized (
         select receipt_id, agent_id, caller_user_id, status, ended_at, source, payload->>'error_code' as error_code
         from receipts where receipt_id > :after and receipt_id < :until order by receipt_id limit ${A_BATCH}
       ), counted as (
         select caller_user_id as account_id, agent_id, status, ended_at from batch
         where source = 'platform' and caller_user_id is not null and status <> 'cancelled' and coalesce(error_code, '') not in ${NOT_ITS_FAULT}
           and exists (select 1 from users where user_id = caller_user_id)
       ), newest as (select account_id, agent_id, max(ended_at) as as_of from counted group by 1, 2),
       summed as (
         select account_id, agent_id, n.as_of, count(*) as calls,
           sum(case when status = 'ok' then power(0.5, extract(epoch from n.as_of - c.ended_at) / :half) else 0 end) as good,
           sum(case when status = 'ok' then 0 else power(0.5, extract(epoch from n.as_of - c.ended_at) / :half) end) as bad
         from counted c join newest n using (account_id, agent_id) group by 1, 2, 3
       ), written as (
         insert into scorecards as s (account_id, agent_id, good, bad, calls, as_of) select account_id, agent_id, good, bad, calls, as_of from summed
         on conflict (account_id, agent_id) do update set
           as_of = greatest(s.as_of, excluded.as_of), calls = s.calls + excluded.calls,
           good = s.good * power(0.5, extract(epoch from greatest(s.as_of, excluded.as_of) - s.as_of) / :half)
             + excluded.good * power(0.5, extract(epoch from greatest(s.as_of, excluded.as_of) - excluded.as_of) / :half),
           bad = s.bad * power(0.5, extract(epoch from greatest(s.as_of, excluded.as_of) - s.as_of) / :half)
             + excluded.bad * power(0.5, extract(epoch from greatest(s.as_of, excluded.as_of) - excluded.as_of) / :half)
       )
       select count(*)::int as counted, max(receipt_id) as last from batch`,
      { after: cursor.receipt_id, until, half: HALF_LIFE_DAYS * 86_400 },
    );
    const [{ counted, last } = { counted: 0, last: null }] = rows;
    if (last !== null) await ctx.db('scorecard_cursor').update({ receipt_id: last });
    return counted;
  });
}
