// What a use may cost is reserved before it starts and settled when it ends, each in one guarded statement: a hundred calls at once
// cannot spend the same money, and a call is counted once, however often its end arrives.
import type { LlmCredentialsRow } from '#db/tables.ts';
import type { ModelUsage } from '#drivers/llm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, PaymentRequired } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { dayOf } from './credential.ts';
import { type Cap, type LimitsTaken, type Rate, refuseUntaken, takeLimits } from './limits.ts';
import { costMicros, type Price } from './price.ts';

export interface Use {
  credential: LlmCredentialsRow;
  /** What refusals call the credential; default: its name. */
  shownAs?: string | undefined;
  model: string;
  /** Undefined: unpriced. */
  price: Price | undefined;
  purpose: string;
  agentName: string | null;
  runId: string | null;
  threadId: string | null;
  /** Who called the agent. */
  personId?: string | null;
  /** At most, of this use. */
  inputTokens: number;
  outputTokens: number;
  /** What else bounds it, beside the credential's budget. */
  caps?: readonly Cap[];
  rates?: readonly Rate[];
}

/**
 * Resolves with the id of the use, to be settled.
 * @throws PaymentRequired llm_budget_exceeded, llm_cap_reached; TooManyRequests llm_rate_reached; Conflict unpriced_model, no_model
 */
export async function reserve(ctx: Ctx, use: Use): Promise<string> {
  const { credential, price, caps = [] } = use;
  const now = ctx.clock();
  const day = dayOf(now);
  if (price === undefined && (credential.monthly_budget_micros !== null || caps.length > 0)) {
    const bound = credential.monthly_budget_micros === null ? 'What this run may spend is limited' : `"${use.shownAs ?? credential.name}" has a budget`;
    throw new Conflict('unpriced_model', `${bound}, and ${use.model} has no known price: give the credential a price, or take the limit away`);
  }
  const most: ModelUsage = { inputTokens: use.inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: use.outputTokens };
  const reserved = price === undefined ? 0 : costMicros(price, most);
  const usageId = newId('llu', now);
  const row = {
    usage_id: usageId,
    user_id: credential.user_id,
    credential_id: credential.credential_id,
    credential: credential.name,
    provider: credential.provider,
    model: use.model,
    purpose: use.purpose,
    agent_name: use.agentName,
    run_id: use.runId,
    thread_id: use.threadId,
    person_id: use.personId ?? null,
    input_tokens: use.inputTokens,
    reserved_micros: reserved,
    day,
    started_at: new Date(now).toISOString(),
  };
  // no may: whose credential it is was asked when it was chosen.
  // no audit: the use is the record.
  await inTx(ctx, async (tx) => {
    const limits = { caps, rates: use.rates ?? [], needed: { micros: reserved, tokens: use.inputTokens + use.outputTokens }, userId: credential.user_id, now };
    const { sql, bindings } = takeLimits(limits);
    // One statement: what others reserve under the same limits waits for as short as can be.
    const { rows } = await tx.raw<{ rows: Taken[] }>(
      `with spending as (
         insert into llm_spending as s (credential_id, month, reserved_micros)
         select credential_id, :month, :reserved::bigint from llm_credentials
         where credential_id = :credential and (monthly_budget_micros is null or monthly_budget_micros >= :reserved::bigint)
         on conflict (credential_id, month) do update set reserved_micros = s.reserved_micros + excluded.reserved_micros
         where not exists (
           select 1 from llm_credentials c
           where c.credential_id = excluded.credential_id and c.monthly_budget_micros < s.spent_micros + s.reserved_micros + excluded.reserved_micros)
         returning credential_id),
       ${sql},
       noted as (insert into llm_usage select (jsonb_populate_record(null::llm_usage, :row::jsonb)).* from spending)
       select exists (select 1 from spending) as spending, array(select cap_id from capped) as caps, array(select rate_id from rated) as rates`,
      {
        ...bindings,
        credential: credential.credential_id,
        month: day.slice(0, 7),
        reserved,
        row: JSON.stringify({ ...DEFAULTS, ...row, cap_ids: caps.map(({ id }) => id) }),
      },
    );
    const [taken] = rows;
    if (taken?.spending !== true) throw budgetExceeded(use.shownAs ?? credential.name, credential, reserved);
    refuseUntaken(limits, taken);
  });
  return usageId;
}

interface Taken extends LimitsTaken {
  spending: boolean;
}

/** Columns of a use that only its end writes. */
const DEFAULTS = { state: 'running', cached_input_tokens: 0, output_tokens: 0, estimated: false };

function budgetExceeded(name: string, { monthly_budget_micros }: LlmCredentialsRow, needed: number): PaymentRequired {
  return new PaymentRequired(
    'llm_budget_exceeded',
    `What is left of this month's budget of "${name}" does not cover this call: raise it, or wait for the next month`,
    {
      credential: name,
      monthly_budget_micros,
      needed_micros: needed,
    },
  );
}

export interface Settlement {
  state: 'ok' | 'failed' | 'cancelled';
  errorCode: string | null;
  usage: ModelUsage;
  estimated: boolean;
  /** null: unpriced. */
  costMicros: number | null;
}

/** Nothing changes when it was settled already. */
export async function settle(ctx: Ctx, usageId: string, i: Settlement): Promise<void> {
  await ctx.db.raw(
    `with done as (
       update llm_usage set state = :state, error_code = :errorCode, input_tokens = :inputTokens, cached_input_tokens = :cached,
         output_tokens = :outputTokens, estimated = :estimated, cost_micros = :cost, ended_at = :endedAt
       where usage_id = :usageId and state = 'running'
       returning credential_id, day, reserved_micros, cost_micros, cap_ids),
     capped as (
       update llm_caps p set reserved_micros = p.reserved_micros - done.reserved_micros, spent_micros = p.spent_micros + coalesce(done.cost_micros, 0)
       from done where p.cap_id = any(done.cap_ids))
     update llm_spending s
     set reserved_micros = s.reserved_micros - done.reserved_micros, spent_micros = s.spent_micros + coalesce(done.cost_micros, 0)
     from done where s.credential_id = done.credential_id and s.month = left(done.day, 7)`,
    {
      usageId,
      state: i.state,
      errorCode: i.errorCode,
      inputTokens: i.usage.inputTokens,
      cached: i.usage.cachedInputTokens,
      outputTokens: i.usage.outputTokens,
      estimated: i.estimated,
      cost: i.costMicros,
      endedAt: new Date(ctx.clock()).toISOString(),
    },
  );
}

/** Longer than any answer may take. */
const lostAfterMs = 20 * 60_000;

/** Uses whose process is gone. What they cost nobody knows: all that was reserved for them counts. Resolves with how many there were. */
export async function sweepUses(ctx: Ctx): Promise<number> {
  const { rows } = await ctx.db.raw<{ rows: unknown[] }>(
    `with lost as (
       update llm_usage u set state = 'lost', error_code = 'lost', estimated = true, ended_at = :now,
         cost_micros = case when u.reserved_micros > 0 then u.reserved_micros end
       where usage_id in (select usage_id from llm_usage where ended_at is null and started_at < :before limit 500 for update skip locked)
       returning usage_id, credential_id, left(day, 7) as month, reserved_micros, coalesce(cost_micros, 0) as cost, cap_ids),
     caps as (select cap_id, sum(reserved_micros) as reserved, sum(cost) as cost from lost, unnest(cap_ids) as cap_id group by 1),
     capped as (
       update llm_caps p set reserved_micros = p.reserved_micros - caps.reserved, spent_micros = p.spent_micros + caps.cost
       from caps where p.cap_id = caps.cap_id),
     sums as (select credential_id, month, sum(reserved_micros) as reserved, sum(cost) as cost from lost group by 1, 2),
     freed as (
       update llm_spending s set reserved_micros = s.reserved_micros - sums.reserved, spent_micros = s.spent_micros + sums.cost
       from sums where s.credential_id = sums.credential_id and s.month = sums.month)
     select usage_id from lost`,
    { now: new Date(ctx.clock()).toISOString(), before: new Date(ctx.clock() - lostAfterMs).toISOString() },
  );
  return rows.length;
}
