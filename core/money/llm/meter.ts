// What a use may cost is reserved before it starts and settled when it ends, each in one guarded statement: a
// hundred calls at once cannot spend the same money, and a call is counted once, however often its end
// arrives. Neither waits for the disk, as all uses of a credential wait for one row: where the database
// breaks down, the settlements of its last second are lost, and swept later at the price that was reserved.
import type { LlmCredentialsRow } from '#db/tables.ts';
import type { ModelUsage } from '#drivers/llm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, PaymentRequired } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { QUICK_COMMIT } from '../../kernel/quick-commit.ts';
import { inRunQueue } from '../../kernel/tx.ts';
import { dayOf } from './credential.ts';
import { recordRefusal, requirePolicy } from '../../policy/deny.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { policyCaps } from './policy-caps.ts';
import { type Cap, type Limits, type LimitsTaken, minuteOf, type Rate, limitRefusal, takeLimits } from './limits.ts';
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
  /** The first run of the chain of calls; absent: the run. */
  rootRunId?: string | null;
  /** The span of the agent's own in which it asks; absent: that of its run. */
  parentSpanId?: string | null;
  /** At most, of this use. */
  inputTokens: number;
  outputTokens: number;
  /** What else bounds it, beside the credential's budget. */
  caps?: readonly Cap[];
  rates?: readonly Rate[];
}

/** What is known of a use before it ends. */
export interface Reserved {
  usage_id: string;
  [column: string]: unknown;
}

/**
 * Not in a transaction: it commits without waiting for the disk (what that may lose, `settle` makes good).
 * @throws PaymentRequired llm_budget_exceeded, llm_cap_reached; policy_budget_reached; TooManyRequests
 * llm_rate_reached; Conflict unpriced_model, no_model; Forbidden policy_denied
 */
export async function reserve(ctx: Ctx, use: Use): Promise<Reserved> {
  try {
    return await takeUse(ctx, use);
  } catch (error) {
    await recordRefusal(ctx, error);
    throw error;
  }
}

async function takeUse(ctx: Ctx, use: Use): Promise<Reserved> {
  const { credential, price } = use;
  const now = ctx.clock();
  const day = dayOf(now);
  if (price === undefined && (credential.monthly_budget_micros !== null || (use.caps ?? []).length > 0)) {
    const bound = credential.monthly_budget_micros === null ? 'What this run may spend is limited' : `"${use.shownAs ?? credential.name}" has a budget`;
    throw new Conflict('unpriced_model', `${bound}, and ${use.model} has no known price: give the credential a price, or take the limit away`);
  }
  const most: ModelUsage = { inputTokens: use.inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: use.outputTokens };
  const micros = price === undefined ? 0 : costMicros(price, most);
  const accounts = [credential.user_id, ...(await accountsOf(ctx.db, ctx.actor))];
  const context = { money: { amount_cents: micros / 10_000 } };
  await requirePolicy(ctx, { action: 'spend', accounts, resource: { type: 'Agent', name: use.agentName ?? 'chat' }, context });
  // What has no price costs nothing that a budget could count.
  const caps =
    price === undefined
      ? (use.caps ?? [])
      : [...(use.caps ?? []), ...(await policyCaps(ctx.db, { ...use, payerId: credential.user_id, resource: use.model }, day))];
  const row = {
    ...ONLY_AT_THE_END,
    usage_id: newId('llu', now),
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
    parent_span_id: use.parentSpanId ?? null,
    input_tokens: use.inputTokens,
    reserved_micros: micros,
    day,
    started_at: new Date(now).toISOString(),
    cap_ids: caps.map(({ id }) => id),
  };
  const limits = { caps, rates: use.rates ?? [], needed: { micros, tokens: use.inputTokens + use.outputTokens }, userId: credential.user_id, now };
  const taken = await inRunQueue(ctx, () => take(ctx, row, limits));
  if (!taken.spending) throw budgetExceeded(use.shownAs ?? credential.name, credential, micros);
  const refused = limitRefusal(limits, taken);
  if (refused) {
    await giveBack(ctx, row.usage_id, limits, taken.rates);
    throw refused;
  }
  return row;
}

interface Taken extends LimitsTaken {
  spending: boolean;
}

/**
 * One statement: what others reserve under the same limits waits for as short as can be. Each limit is taken
 * where those before it were; the row says which, so that a use whose process dies here is swept like any
 * other.
 */
async function take({ db }: Ctx, row: Reserved & { credential_id: string; day: string; reserved_micros: number }, limits: Limits): Promise<Taken> {
  const { sql, bindings } = takeLimits(limits);
  const { rows } = await db
    .raw<{ rows: [Taken] }>(
      `with quick as (select ${QUICK_COMMIT}),
     spending as (
       insert into llm_spending as s (credential_id, month, reserved_micros)
       select credential_id, :month, :reserved::bigint from llm_credentials, quick
       where credential_id = :credential and (monthly_budget_micros is null or monthly_budget_micros >= :reserved::bigint)
       on conflict (credential_id, month) do update set reserved_micros = s.reserved_micros + excluded.reserved_micros
       where not exists (
         select 1 from llm_credentials c
         where c.credential_id = excluded.credential_id and c.monthly_budget_micros < s.spent_micros + s.reserved_micros + excluded.reserved_micros)
       returning credential_id),
     ${sql},
     noted as (
       insert into llm_usage
       select r.* from spending, jsonb_populate_record(null::llm_usage, :row::jsonb || jsonb_build_object('cap_ids', array(select cap_id from capped))) r)
     select exists (select 1 from spending) as spending, array(select cap_id from capped) as caps, array(select rate_id from rated) as rates`,
      { ...bindings, credential: row.credential_id, month: row.day.slice(0, 7), reserved: row.reserved_micros, row: JSON.stringify(row) },
    )
    .options({ name: 'take_use' });
  return rows[0];
}

/** Columns of a use that only its end writes. */
const ONLY_AT_THE_END = { state: 'running', cached_input_tokens: 0, output_tokens: 0, estimated: false, counted: false };

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

/**
 * After `done`, which names the rows of uses that end: their money is no longer reserved, and what they cost
 * is spent. The limits in the order in which they are taken.
 */
const FREED = `quick as (select ${QUICK_COMMIT}),
  sums as (
    select credential_id, left(day, 7) as month, sum(reserved_micros) as reserved, sum(coalesce(cost_micros, 0)) as cost from done group by 1, 2),
  freed as (
    update llm_spending s set reserved_micros = s.reserved_micros - sums.reserved, spent_micros = s.spent_micros + sums.cost
    from sums, quick where s.credential_id = sums.credential_id and s.month = sums.month
    returning 1),
  caps as (
    select cap_id, sum(reserved_micros) as reserved, sum(coalesce(cost_micros, 0)) as cost from done, unnest(cap_ids) as cap_id
    where (select count(*) from freed) >= 0 group by 1),
  locked as (select cap_id from llm_caps where cap_id in (select cap_id from caps) order by cap_id for update),
  capped as (
    update llm_caps p set reserved_micros = p.reserved_micros - caps.reserved, spent_micros = p.spent_micros + caps.cost
    from caps join locked using (cap_id) where p.cap_id = caps.cap_id)`;

/** Nothing changes when it was settled already. Not in a transaction. */
export async function settleUsage(ctx: Ctx, use: Reserved, i: Settlement): Promise<void> {
  const end = {
    state: i.state,
    error_code: i.errorCode,
    input_tokens: i.usage.inputTokens,
    cached_input_tokens: i.usage.cachedInputTokens,
    output_tokens: i.usage.outputTokens,
    estimated: i.estimated,
    cost_micros: i.costMicros,
    ended_at: new Date(ctx.clock()).toISOString(),
  };
  const { rows } = await ctx.db
    .raw<{ rows: { known: boolean }[] }>(
      `with done as (
       update llm_usage set state = :state, error_code = :error_code, input_tokens = :input_tokens, cached_input_tokens = :cached_input_tokens,
         output_tokens = :output_tokens, estimated = :estimated, cost_micros = :cost_micros, ended_at = :ended_at
       where usage_id = :usage_id and state = 'running'
       returning credential_id, day, reserved_micros, cost_micros, cap_ids),
     ${FREED}
     select exists (select 1 from llm_usage where usage_id = :usage_id) as known`,
      { ...end, usage_id: use.usage_id },
    )
    .options({ name: 'settle_use' });
  if (rows[0]?.known !== true) await countLost(ctx, { ...use, ...end });
}

/** The database broke down before the reservation was on its disk: the use counts all the same, once. */
async function countLost({ db }: Ctx, use: Reserved): Promise<void> {
  await db.raw(
    `with noted as (
       insert into llm_usage select lost.* from jsonb_populate_record(null::llm_usage, :use::jsonb) lost join llm_credentials using (credential_id)
       on conflict (usage_id) do nothing
       returning credential_id, day, cost_micros, cap_ids),
     capped as (
       update llm_caps p set spent_micros = p.spent_micros + coalesce(noted.cost_micros, 0) from noted where p.cap_id = any(noted.cap_ids))
     insert into llm_spending as s (credential_id, month, spent_micros)
     select credential_id, left(day, 7), coalesce(cost_micros, 0) from noted
     on conflict (credential_id, month) do update set spent_micros = s.spent_micros + excluded.spent_micros`,
    { use: JSON.stringify(use) },
  );
}

/** Of a use that one of its limits refused. */
async function giveBack({ db }: Ctx, usageId: string, limits: Limits, rates: readonly string[]): Promise<void> {
  await db.raw(
    `with done as (
       delete from llm_usage where usage_id = :usageId and state = 'running' returning credential_id, day, reserved_micros, cost_micros, cap_ids),
     ${FREED}
     update llm_rates set requests = requests - 1, tokens = tokens - :tokens
     where rate_id = any(:rates) and minute = :minute and (select count(*) from freed) >= 0`,
    { usageId, rates: [...rates], tokens: limits.needed.tokens, minute: minuteOf(limits.now) },
  );
}

/** Longer than any answer may take. */
const lostAfterMs = 20 * 60_000;

/**
 * Ends uses whose process is gone. Their cost is unknown, so the whole reservation counts. Resolves with
 * their number.
 */
export async function sweepUses(ctx: Pick<Ctx, 'db' | 'clock'>): Promise<number> {
  const { rows } = await ctx.db.raw<{ rows: unknown[] }>(
    `with done as (
       update llm_usage u set state = 'lost', error_code = 'lost', estimated = true, ended_at = :now,
         cost_micros = case when u.reserved_micros > 0 then u.reserved_micros end
       where usage_id in (select usage_id from llm_usage where ended_at is null and started_at < :before limit 500 for update skip locked)
       returning usage_id, credential_id, day, reserved_micros, cost_micros, cap_ids),
     ${FREED}
     select usage_id from done`,
    { now: new Date(ctx.clock()).toISOString(), before: new Date(ctx.clock() - lostAfterMs).toISOString() },
  );
  return rows.length;
}
