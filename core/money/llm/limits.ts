// What bounds a use beside the budget of its credential: caps of runs and model grants, and rates in a
// minute.
import type { Ctx } from '../../kernel/ctx.ts';
import { PaymentRequired, TooManyRequests } from '../../kernel/errors.ts';
import { withDenial } from '../../policy/deny.ts';
import type { Denial } from '../../policy/model.ts';

/** What a run, or a model grant, may spend. */
export interface Cap {
  /** Its id. */
  id: string;
  limitMicros: number;
  /** Who set it, for the error. */
  whose: string;
  /**
   * It is a budget of the account's policy, which may be raised: the row keeps no limit of its own. What a
   * refusal is recorded as.
   */
  policy?: Denial;
}

/** More than any budget. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export interface Rate {
  id: string;
  requests: number;
  tokens: number;
}

export interface Limits {
  caps: readonly Cap[];
  rates: readonly Rate[];
  /** By one use, at most. */
  needed: { micros: number; tokens: number };
  userId: string;
  now: number;
}

export interface LimitsTaken {
  caps: string[];
  rates: string[];
}

/**
 * Two parts of a statement, `capped` and `rated`, which take from all limits that leave enough where those
 * before them did (`spending`, then `capped`); refusalOf says which did not. Each in the order of its ids:
 * two uses under the same two do not wait for each other. A rate counts anew in each minute.
 */
export function takeLimits({ caps, rates, needed, userId, now }: Limits): { sql: string; bindings: Record<string, string | number | (string | number)[]> } {
  const sql = `capped as (
      insert into llm_caps as p (cap_id, user_id, limit_micros, reserved_micros, created_at)
      select id, :user, kept, :micros::bigint, :at::timestamptz from unnest(:cap_ids::text[], :cap_limits::bigint[], :cap_kept::bigint[]) as c(id, most, kept) where most >= :micros::bigint and exists (select 1 from spending)
      order by id
      on conflict (cap_id) do update set reserved_micros = p.reserved_micros + excluded.reserved_micros
      where p.spent_micros + p.reserved_micros + excluded.reserved_micros <= least(p.limit_micros, (:cap_limits::bigint[])[array_position(:cap_ids::text[], p.cap_id)])
      returning cap_id),
    rated as (
      insert into llm_rates as r (rate_id, minute, requests, tokens)
      select id, :minute::bigint, 1, :tokens::bigint from unnest(:rate_ids::text[], :rate_tokens::bigint[]) as c(id, most) where most >= :tokens::bigint
        and exists (select 1 from spending) and (select count(*) from capped) = cardinality(:cap_ids::text[])
      order by id
      on conflict (rate_id) do update set
        minute = excluded.minute,
        requests = case when r.minute = excluded.minute then r.requests else 0 end + 1,
        tokens = case when r.minute = excluded.minute then r.tokens else 0 end + excluded.tokens
      where r.minute <> excluded.minute
        or (r.requests < (:rate_requests::bigint[])[array_position(:rate_ids::text[], r.rate_id)]
          and r.tokens + excluded.tokens <= (:rate_tokens::bigint[])[array_position(:rate_ids::text[], r.rate_id)])
      returning rate_id)`;
  return {
    sql,
    bindings: {
      user: userId,
      micros: needed.micros,
      tokens: needed.tokens,
      at: new Date(now).toISOString(),
      minute: minuteOf(now),
      cap_ids: caps.map(({ id }) => id),
      cap_limits: caps.map(({ limitMicros }) => limitMicros),
      cap_kept: caps.map(({ limitMicros, policy }) => (policy ? NO_LIMIT : limitMicros)),
      rate_ids: rates.map(({ id }) => id),
      rate_requests: rates.map(({ requests }) => requests),
      rate_tokens: rates.map(({ tokens }) => tokens),
    },
  };
}

/**
 * Undefined: all were taken. PaymentRequired llm_cap_reached, policy_budget_reached; TooManyRequests
 * llm_rate_reached.
 */
export function limitRefusal({ caps, rates, needed, now }: Limits, taken: LimitsTaken): PaymentRequired | TooManyRequests | undefined {
  const cap = caps.find(({ id }) => !taken.caps.includes(id));
  if (cap?.policy) {
    const message = `This call could cost ${needed.micros} micro-dollars, and ${cap.whose} does not leave as much`;
    const details = { rule: cap.policy.rule, limit_micros: cap.limitMicros, needed_micros: needed.micros };
    return withDenial(new PaymentRequired('policy_budget_reached', message, details), { ...cap.policy, message });
  }
  if (cap)
    return new PaymentRequired('llm_cap_reached', `This call could cost ${needed.micros} micro-dollars, and ${cap.whose} does not leave as much`, {
      limit_micros: cap.limitMicros,
      needed_micros: needed.micros,
    });
  const rate = rates.find(({ id }) => !taken.rates.includes(id));
  if (!rate) return undefined;
  const wait = Math.max(1, Math.ceil(((minuteOf(now) + 1) * 60_000 - now) / 1000));
  return new TooManyRequests('llm_rate_reached', `At most ${rate.requests} model requests, and ${rate.tokens} tokens, in a minute: try again in ${wait} s`, {
    retry_after_seconds: wait,
  });
}

export function minuteOf(now: number): number {
  return Math.floor(now / 60_000);
}

/** Longer than any run: after that nothing is counted under it. */
const capDays = 40;

/** Caps, rates and keys that nothing uses any more. */
export async function sweepLimits(ctx: Ctx): Promise<void> {
  const now = ctx.clock();
  const before = new Date(now - capDays * 86_400_000);
  await ctx.db('llm_caps').where('created_at', '<', before).delete();
  await ctx.db('llm_grants').where('expires_at', '<', before).delete();
  await ctx
    .db('llm_rates')
    .where('minute', '<', minuteOf(now) - 10)
    .delete();
}
