// Budgets of a policy count from the beginning of their month or day: what was spent before the policy was
// set is put where they are counted.
import type { ControlRoomPolicy } from '#contract/overview/control-room.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { budgetId } from '../../policy/budgets.ts';
import { dayOf } from './credential.ts';

/** Uses of models, and calls of skills with a price. */
const SPENT = `select day, agent_name, person_id, coalesce(cost_micros, reserved_micros) as cost from llm_usage where user_id = :userId and day >= :since
  union all
  select to_char(c.started_at at time zone 'UTC', 'YYYY-MM-DD'), a.name, c.person_id, coalesce(c.amount_micros, c.held_micros)
  from charges c left join agents a using (agent_id) where c.payer_id = :userId and c.state <> 'released' and c.started_at >= :since::timestamp at time zone 'UTC'`;

/** More than any budget: what leaves enough is said with each use. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * Uses under way count with all that was reserved for them. What is counted already is not counted again. The
 * budget of a run counts from the run's next use. `ctx.db` is `tx`.
 */
export async function countWhatWasSpent(ctx: TxCtx, userId: string, policy: ControlRoomPolicy): Promise<void> {
  const day = dayOf(ctx.clock());
  const month = day.slice(0, 7);
  const sums: [string, string][] = [
    [`'${budgetId('month', '', month)}'`, `day >= '${month}-01'`],
    ...(policy.daily_budget_cents === null ? [] : [[`'${budgetId('day', '', day)}'`, `day = '${day}'`] as [string, string]]),
    ...(policy.agent_daily_budget_cents === null
      ? []
      : [[`'policy:agent_day:${day}:' || agent_name || ':'`, `day = '${day}' and agent_name is not null`] as [string, string]]),
    ...(policy.person_daily_budget_cents === null
      ? []
      : [[`'policy:person_day:${day}:' || person_id || ':'`, `day = '${day}' and person_id is not null`] as [string, string]]),
  ];
  for (const [id, where] of sums) {
    await ctx.db.raw(
      `insert into llm_caps as p (cap_id, user_id, limit_micros, spent_micros, reserved_micros, created_at)
       select ${id} || :userId::text, :userId, :noLimit::bigint, coalesce(sum(cost), 0)::bigint, 0, :now
       from (${SPENT}) spent where ${where} group by 1
       on conflict (cap_id) do update set spent_micros = greatest(p.spent_micros, excluded.spent_micros - p.reserved_micros)`,
      { userId, noLimit: NO_LIMIT, now: new Date(ctx.clock()), since: `${month}-01` },
    );
  }
}
