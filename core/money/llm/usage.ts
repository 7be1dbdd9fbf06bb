// What the account's models were used for in a period: each use, newest first, and their sums.
import type { Knex } from 'knex';
import type { z } from 'zod';
import { type LlmUsageGroup, type LlmUsageGrouping, type LlmUsageOut, type LlmUse, MAX_USAGE_DAYS, MAX_USAGE_GROUPS } from '#contract/money/llm-usage.ts';
import type { LlmUsageRow } from '#db/tables.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { toPage } from '../../kernel/page.ts';
import { dayOf } from './credential.ts';

export interface UsageIn {
  limit: number;
  cursor?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  group_by: z.infer<typeof LlmUsageGrouping>;
  credential?: string | undefined;
  model?: string | undefined;
  purpose?: string | undefined;
  agent?: string | undefined;
}

const COLUMNS = { day: 'day', credential: 'credential', agent: 'agent_name', model: 'model', purpose: 'purpose', person: 'person_id', run: 'run_id' } as const;

export async function listUsage(ctx: Ctx, i: UsageIn): Promise<z.infer<typeof LlmUsageOut>> {
  const { user_id } = requireUser(ctx, 'llm_usage.read');
  const { from, to } = periodOf(i, ctx.clock());
  const only = Object.fromEntries(
    Object.entries({ credential: i.credential, model: i.model, purpose: i.purpose, agent_name: i.agent }).filter(([, value]) => value !== undefined),
  );
  const uses = () =>
    ctx
      .db('llm_usage')
      .where({ user_id, ...only })
      .whereBetween('day', [from, to]);
  const page = uses().select<(LlmUsageRow & { cursor_at: number })[]>('*', ctx.db.raw(`${microseconds('started_at')} as cursor_at`));
  newestFirst(page, ['started_at', 'usage_id'], i);
  const column = COLUMNS[i.group_by];
  const groups = uses()
    .select<LlmUsageGroup[]>({ key: column }, ...sums(ctx.db))
    .groupBy(column)
    .orderBy(i.group_by === 'day' ? [{ column }] : [{ column: 'cost_micros', order: 'desc' }, { column: 'calls', order: 'desc' }, { column }])
    .limit(MAX_USAGE_GROUPS);
  const [rows, totals, byGroup] = await Promise.all([page, uses().select<Omit<LlmUsageGroup, 'key'>[]>(...sums(ctx.db)), groups]);
  const [total] = totals;
  if (!total) throw new Error('sums are one row');
  return {
    from,
    to,
    totals: total,
    group_by: i.group_by,
    groups: byGroup,
    ...toPage(rows, i.limit, presentUse, (row) => [row.cursor_at, row.usage_id]),
  };
}

/** @throws Invalid */
export function periodOf({ from: asked, to: until }: Pick<UsageIn, 'from' | 'to'>, now: number): { from: string; to: string } {
  const to = until ?? dayOf(now);
  const from = asked ?? `${to.slice(0, 7)}-01`;
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
  if (days < 0) throw new Invalid([{ path: ['query', 'to'], message: `is before from (${from})` }]);
  if (days > MAX_USAGE_DAYS) throw new Invalid([{ path: ['query', 'from'], message: `is more than ${MAX_USAGE_DAYS} days before to (${to})` }]);
  return { from, to };
}

/** A running use shows what may come of it, and has cost nothing yet. */
export function sums(db: Knex): Knex.Raw[] {
  return [
    db.raw('count(*)::int as calls'),
    ...['input_tokens', 'cached_input_tokens', 'output_tokens', 'cost_micros'].map((name) => db.raw('coalesce(sum(??), 0)::bigint as ??', [name, name])),
    db.raw('(count(*) filter (where ended_at is not null and cost_micros is null))::int as unpriced_calls'),
    db.raw('(count(*) filter (where estimated))::int as estimated_calls'),
  ];
}

function presentUse(row: LlmUsageRow): LlmUse {
  return {
    usage_id: row.usage_id,
    credential: row.credential,
    provider: row.provider,
    model: row.model,
    purpose: row.purpose,
    agent: row.agent_name,
    person: row.person_id,
    run_id: row.run_id,
    thread_id: row.thread_id,
    state: row.state,
    error_code: row.error_code,
    input_tokens: row.input_tokens,
    cached_input_tokens: row.cached_input_tokens,
    output_tokens: row.output_tokens,
    estimated: row.estimated,
    cost_micros: row.cost_micros,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}
