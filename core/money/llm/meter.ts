// What a use may cost is reserved before it starts and settled when it ends, each in one guarded statement: a hundred calls at once
// cannot spend the same money, and a call is counted once, however often its end arrives.
import type { Knex } from 'knex';
import type { LlmCredentialsRow } from '#db/tables.ts';
import type { ModelUsage } from '#drivers/llm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, PaymentRequired, TooManyRequests } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { dayOf } from './credential.ts';
import { costMicros, type Price } from './price.ts';

export interface Use {
  credential: LlmCredentialsRow;
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

/** What a run, or a model grant, may spend. */
export interface Cap {
  /** Its id. */
  id: string;
  limitMicros: number;
  /** Who set it, for the error. */
  whose: string;
}

export interface Rate {
  id: string;
  requests: number;
  tokens: number;
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
    const bound = credential.monthly_budget_micros === null ? 'What this run may spend is limited' : `"${credential.name}" has a budget`;
    throw new Conflict('unpriced_model', `${bound}, and ${use.model} has no known price: give the credential a price, or take the limit away`);
  }
  const most: ModelUsage = { inputTokens: use.inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: use.outputTokens };
  const reserved = price === undefined ? 0 : costMicros(price, most);
  const usageId = newId('llu', now);
  // no may: whose credential it is was asked when it was chosen.
  // no audit: the use is the record.
  await inTx(ctx, async (tx) => {
    const names = { id: credential.credential_id, month: day.slice(0, 7), reserved };
    await tx.raw(
      `insert into llm_spending (credential_id, month)
       select credential_id, :month from llm_credentials where credential_id = :id for key share
       on conflict do nothing`,
      names,
    );
    const { rows } = await tx.raw<{ rows: unknown[] }>(
      `update llm_spending s set reserved_micros = s.reserved_micros + :reserved
       from llm_credentials c
       where s.credential_id = :id and s.month = :month and c.credential_id = s.credential_id
         and (c.monthly_budget_micros is null or s.spent_micros + s.reserved_micros + :reserved <= c.monthly_budget_micros)
       returning s.credential_id`,
      names,
    );
    if (rows.length === 0) throw budgetExceeded(credential, reserved);
    for (const cap of inOrder(caps)) await takeCap(tx, cap, { reserved, userId: credential.user_id, now });
    for (const rate of inOrder(use.rates ?? [])) await takeRate(tx, rate, use.inputTokens + use.outputTokens, now);
    await tx('llm_usage').insert({
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
      cap_ids: caps.map(({ id }) => id),
      input_tokens: use.inputTokens,
      reserved_micros: reserved,
      day,
      started_at: new Date(now).toISOString(),
    });
  });
  return usageId;
}

/** Always in the same order: two uses under the same two do not wait for each other. */
function inOrder<T extends { id: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function takeCap(tx: Knex.Transaction, { id, limitMicros, whose }: Cap, { reserved, userId, now }: { reserved: number; userId: string; now: number }) {
  await tx('llm_caps')
    .insert({ cap_id: id, user_id: userId, limit_micros: limitMicros, created_at: new Date(now) })
    .onConflict('cap_id')
    .ignore();
  const taken = await tx('llm_caps')
    .where({ cap_id: id })
    .whereRaw('spent_micros + reserved_micros + ? <= least(limit_micros, ?)', [reserved, limitMicros])
    .update({ reserved_micros: tx.raw('reserved_micros + ?', [reserved]) });
  if (taken === 0)
    throw new PaymentRequired('llm_cap_reached', `This call could cost ${reserved} micro-dollars, and ${whose} does not leave as much`, {
      limit_micros: limitMicros,
      needed_micros: reserved,
    });
}

/** Counts anew in each minute. */
async function takeRate(tx: Knex.Transaction, { id, requests, tokens }: Rate, needed: number, now: number): Promise<void> {
  const minute = Math.floor(now / 60_000);
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `insert into llm_rates as r (rate_id, minute, requests, tokens) select :id, :minute::bigint, 1, :needed::bigint where :needed::bigint <= :tokens::bigint
     on conflict (rate_id) do update set
       minute = excluded.minute,
       requests = case when r.minute = excluded.minute then r.requests else 0 end + 1,
       tokens = case when r.minute = excluded.minute then r.tokens else 0 end + excluded.tokens
     where r.minute <> excluded.minute or (r.requests < :requests::integer and r.tokens + excluded.tokens <= :tokens::bigint)
     returning rate_id`,
    { id, minute, needed, requests, tokens },
  );
  if (rows.length > 0) return;
  const wait = Math.max(1, Math.ceil(((minute + 1) * 60_000 - now) / 1000));
  throw new TooManyRequests('llm_rate_reached', `At most ${requests} model requests, and ${tokens} tokens, in a minute: try again in ${wait} s`, {
    retry_after_seconds: wait,
  });
}

function budgetExceeded({ name, monthly_budget_micros }: LlmCredentialsRow, needed: number): PaymentRequired {
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
    .where('minute', '<', Math.floor(now / 60_000) - 10)
    .delete();
}
