// How an agent is used, over any window: sums of whole months, days and hours, and the receipts themselves at
// the ends and after what is counted. One statement reads all of it, so what it says is of one moment.
import type { Knex } from 'knex';
import type { CallInsightsOut, GROUPINGS } from '#contract/evidence/agent-insights.ts';
import { MAX_CAUSES, MAX_GROUPS } from '#contract/evidence/agent-insights.ts';
import { type Histogram, mergeHistograms, percentileOf } from '#contract/evidence/latency.ts';
import { CALLER_RELATIONS, type CallFacet, type ReceiptStatus } from '#contract/states.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BUCKET, COUNTED_CODE, COUNTED_SKILL, NEW_CODE, NEW_SKILL, RELATION, CALLED_VERSION } from './count-calls.ts';
import { earnedRows } from './earned.ts';
import { facetRows } from './facets.ts';
import { modelUse } from './model-use.ts';
import { wakes } from './wakes.ts';
import { type Bucket, iso, type Slices, slicesOf, type Window, windowOf, within } from './window.ts';

type Grouping = (typeof GROUPINGS)[number];

interface Counted {
  calls: number;
  ok: number;
  failed: number;
  cancelled: number;
  duration_ms: number;
  histogram: Histogram;
}

interface CallStatistics {
  series: (Counted & { at: string })[];
  groups: (Counted & { key: string })[];
  failures: { code: string; calls: number }[];
  callers: { relation: string; calls: number }[];
  earned_micros: number;
  counted_to_seq: number;
}

const KEY: Record<Grouping, string> = { skill: 'word', version: 'word', caller: 'relation' };

/** @throws NotFound agent_not_found; BadRequest bad_window */
export async function callInsights(
  ctx: Ctx,
  i: { name: string; from?: string | undefined; to?: string | undefined; bucket?: Bucket | undefined; by?: Grouping | undefined },
): Promise<CallInsightsOut> {
  const agent = await agentFor(ctx.db, ctx.actor, 'insights.read', i.name);
  const window = windowOf(i, ctx.clock(), 7);
  const of = { agent_id: agent.agent_id, owner: agent.owner_id };
  const [found, models, sleep] = await Promise.all([
    countedCalls(ctx.db, of, window, i.by),
    modelUse(ctx.db, { ...of, name: agent.name }, slicesOf(window)),
    wakes(ctx.db, agent.agent_id, window),
  ]);
  const totals = sumOf(found.series);
  return {
    agent: agent.name,
    from: iso(window.from),
    to: iso(window.to),
    bucket: window.bucket,
    totals: presentAll(totals),
    failures: found.failures,
    series: found.series.map((one) => ({ at: iso(Date.parse(one.at)), ...presentCalls(one), ...percentiles(one, ['p50_ms', 'p95_ms']) })),
    by: i.by ?? null,
    groups: found.groups.map((one) => ({ key: one.key, ...presentAll(one) })),
    callers: callersOf(found.callers),
    sleep,
    models,
    cost_micros: models.some(({ cost_micros }) => cost_micros === null) ? null : models.reduce((sum, { cost_micros }) => sum + (cost_micros ?? 0), 0),
    earned_micros: found.earned_micros,
    counted_to_seq: found.counted_to_seq,
  };
}

/** Up to where the agent's chain is counted. It only ever grows. */
export async function countedTo(db: Knex, agent_id: string): Promise<number> {
  return (await db('call_count_places').where({ agent_id }).first('seq'))?.seq ?? 0;
}

/**
 * SQL: the place where counting is, and as `s` the calls of the window of which there is no sum: of parts of
 * hours, and what is not counted yet. `counted`: the place as it was a moment ago, in so many words, so that
 * PostgreSQL knows how little is after it.
 */
export function endsOf(window: Window, slices: Slices, counted: number): string {
  const one = (skill: string, code: string, from: string) =>
    `select r.created_at, ${skill}, ${CALLED_VERSION}, ${RELATION}, r.status, ${code}, ${BUCKET}, r.duration_ms from ${from} r where r.agent_id = :agent_id`;
  // "offset 0": they are found by their place in the chain, not among all receipts of the window.
  const uncounted = `(select * from receipts where agent_id = :agent_id and seq > ${counted} and seq > (select seq from place) order by seq offset 0)`;
  const rows = [
    ...slices.exact.map(
      (range) => `${one(COUNTED_SKILL, COUNTED_CODE, 'receipts')} and r.seq <= (select seq from place) and ${within('r.created_at', [range])}`,
    ),
    `${one(NEW_SKILL, NEW_CODE, uncounted)} and ${within('r.created_at', [window])}`,
  ];
  return `place as materialized (select coalesce((select seq from call_count_places where agent_id = :agent_id), 0) as seq),
    s (at, skill, version, relation, status, error_code, bucket, duration_ms) as materialized (${rows.join(' union all ')})`;
}

export const facet = (of: CallFacet, slices: Slices): string => `(${facetRows(of, slices)}) f(at, word, relation, status, calls, duration_ms, histogram)`;

async function countedCalls(db: Knex, of: { agent_id: string; owner: string }, window: Window, by: Grouping | undefined): Promise<CallStatistics> {
  // What is not told apart by time is read from whole months, however its series is shown.
  const whole = slicesOf({ ...window, bucket: 'month' });
  const ends = endsOf(window, whole, await countedTo(db, of.agent_id));
  const { rows } = await db.raw<{
    rows: {
      series: CountedRow[];
      groups: CountedRow[];
      failures: CallStatistics['failures'];
      callers: CallStatistics['callers'];
      earned: number;
      seq: number | null;
    }[];
  }>(
    `with ${ends}${by === undefined ? '' : `, g as materialized (select ${KEY[by]} as key, status, calls, duration_ms, histogram from ${facet(by, whole)})`}
     select (select coalesce(json_agg(t), '[]') from (
              select date_trunc('${window.bucket}', at, 'UTC') as key, status, calls, duration_ms, histogram from ${facet('all', slicesOf(window))} order by 1
            ) t) as series,
       ${by === undefined ? `'[]'::json` : GROUPS} as groups,
       (select coalesce(json_agg(t), '[]') from (select word as code, sum(calls)::bigint as calls from ${facet('code', whole)} group by 1 order by 2 desc, 1 limit ${MAX_CAUSES}) t) as failures,
       (select coalesce(json_agg(t), '[]') from (select relation, sum(calls)::bigint as calls from ${facet('caller', whole)} group by 1) t) as callers,
       (select coalesce(sum(amount), 0)::bigint from (${earnedRows(window, whole)}) e(month, skill, amount)) as earned,
       (select seq from receipt_chains where agent_id = :agent_id) as seq`,
    of,
  );
  const [found] = rows;
  if (!found) throw new Error('a statement without a row');
  return {
    series: summedByKey(found.series).map(({ key, ...one }) => ({ at: key, ...one })),
    groups: summedByKey(found.groups).toSorted((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1)),
    failures: found.failures,
    callers: found.callers,
    earned_micros: found.earned,
    counted_to_seq: found.seq ?? 0,
  };
}

const GROUPS = `(select coalesce(json_agg(g), '[]') from g where key in (select key from g group by key order by sum(calls) desc, key limit ${MAX_GROUPS}))`;

/** Several may be of the same key and status: of different times. */
interface CountedRow {
  key: string;
  status: ReceiptStatus;
  calls: number;
  duration_ms: number;
  histogram: Histogram;
}

/** In the order in which the keys come first. */
function summedByKey(rows: readonly CountedRow[]): (Counted & { key: string })[] {
  return [...Map.groupBy(rows, ({ key }) => key)].map(([key, some]) => {
    const callsOf = (status?: ReceiptStatus): number => some.reduce((sum, row) => sum + (status === undefined || row.status === status ? row.calls : 0), 0);
    return {
      key,
      calls: callsOf(),
      ok: callsOf('ok'),
      failed: callsOf('error'),
      cancelled: callsOf('cancelled'),
      duration_ms: some.reduce((sum, row) => sum + row.duration_ms, 0),
      histogram: mergeHistograms(some.map(({ histogram }) => histogram)),
    };
  });
}

function sumOf(rows: readonly Counted[]): Counted {
  const sum = { calls: 0, ok: 0, failed: 0, cancelled: 0, duration_ms: 0 };
  for (const row of rows) for (const key of ['calls', 'ok', 'failed', 'cancelled', 'duration_ms'] as const) sum[key] += row[key];
  return { ...sum, histogram: mergeHistograms(rows.map(({ histogram }) => histogram)) };
}

const PERCENTS = { p50_ms: 50, p90_ms: 90, p95_ms: 95, p99_ms: 99 } as const;

// Safe: the object has each of the keys that it is made from.
const percentiles = <K extends keyof typeof PERCENTS>({ histogram }: Counted, keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, percentileOf(histogram, PERCENTS[key])])) as Record<K, number | null>;

const presentCalls = ({ calls, ok, failed, cancelled }: Counted) => ({ calls, ok, failed, cancelled });

function presentAll(counted: Counted): CallInsightsOut['totals'] {
  const mean_ms = counted.calls === 0 ? null : Math.round(counted.duration_ms / counted.calls);
  return { ...presentCalls(counted), ...percentiles(counted, ['p50_ms', 'p90_ms', 'p95_ms', 'p99_ms']), mean_ms };
}

function callersOf(rows: CallStatistics['callers']): CallInsightsOut['callers'] {
  const of = new Map(rows.map(({ relation, calls }) => [relation, calls]));
  const [owner, other, none] = CALLER_RELATIONS.map((relation) => of.get(relation) ?? 0);
  return { owner: owner ?? 0, other: other ?? 0, none: none ?? 0 };
}
