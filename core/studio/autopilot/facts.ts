// What the platform knows of an account's live agents: a fixed number of statements, however many agents
// there are.
import type { Knex } from 'knex';
import { type Histogram, mergeHistograms } from '#contract/evidence/latency.ts';
import type { AgentsRow } from '#db/tables.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import { CALLERS_FAULTS } from '../collective/count-scorecards.ts';
import { AUTOPILOT_DAY_MS, MOST_AGENTS, WINDOW_DAYS } from './thresholds.ts';

export interface LookedAt {
  agent_id: string;
  name: string;
  kind: AgentsRow['kind'];
  deploy_id: string;
  version: string | null;
  source_commit: string | null;
  live_since: Date;
  /** A deployment of it is under way. */
  deploying: boolean;
  /** When it last worked; null: never. */
  used_at: Date | null;
}

/** Of one window. */
export interface Calls {
  /** All but those that were cancelled or were the caller's fault. */
  counted: number;
  failed: number;
  /** Of the failed ones, most frequent first. */
  codes: { code: string; calls: number }[];
  ok: number;
  /** Durations of those that went well. */
  histogram: Histogram;
}

export interface AgentSpending {
  runs: number;
  micros: number;
}

/** `now`: this window, `before`: the one before. */
export interface Twice<T> {
  now: T;
  before: T;
}

const NO_CALLS: Calls = { counted: 0, failed: 0, codes: [], ok: 0, histogram: {} };
const NO_SPENDING: AgentSpending = { runs: 0, micros: 0 };

/** Days in UTC. */
export function windowsOf(now: number): { since: Date; before: Date } {
  const tomorrow = (Math.floor(now / AUTOPILOT_DAY_MS) + 1) * AUTOPILOT_DAY_MS;
  return { since: new Date(tomorrow - WINDOW_DAYS * AUTOPILOT_DAY_MS), before: new Date(tomorrow - 2 * WINDOW_DAYS * AUTOPILOT_DAY_MS) };
}

/** The most called first. */
export async function agentsOf(db: Knex, ownerId: string): Promise<LookedAt[]> {
  const { rows } = await db.raw<{ rows: LookedAt[] }>(
    `select a.agent_id, a.name, a.kind, d.deploy_id, d.version, d.source_commit, coalesce(d.live_at, d.created_at) as live_since,
       exists (select 1 from deployments o where o.agent_id = a.agent_id and o.state = any(:open)) as deploying,
       greatest((select max(created_at) from receipts r where r.agent_id = a.agent_id), (select max(started_at) from runs u where u.agent_id = a.agent_id)) as used_at
     from agents a join deployments d on d.deploy_id = a.live_deploy_id
     where a.owner_id = :owner and a.deleted_at is null order by a.call_count desc, a.agent_id limit ${MOST_AGENTS}`,
    { owner: ownerId, open: [...OPEN_DEPLOYMENT_STATES] },
  );
  return rows;
}

/** From sums of days: nothing is read of single calls. */
export async function callsOf(db: Knex, ids: readonly string[], now: number): Promise<Map<string, Twice<Calls>>> {
  const { rows } = await db.raw<{
    rows: { agent_id: string; now: boolean; facet: 'all' | 'code'; status: string; word: string; calls: number; histograms: Histogram[] }[];
  }>(
    `select agent_id, since >= :since as now, facet, status, word, sum(calls)::bigint as calls, json_agg(histogram) as histograms from call_sums
     where agent_id = any(:ids) and facet in ('all', 'code') and grain = 'day' and since >= :before group by 1, 2, 3, 4, 5 order by calls desc, word`,
    { ids: [...ids], ...windowsOf(now) },
  );
  return twice(rows, (some): Calls => {
    const all = (status: string) => some.find((row) => row.facet === 'all' && row.status === status);
    const codes = some.filter(({ facet, word }) => facet === 'code' && !CALLERS_FAULTS.includes(word)).map(({ word, calls }) => ({ code: word, calls }));
    const [ok, failed] = [all('ok')?.calls ?? 0, codes.reduce((sum, { calls }) => sum + calls, 0)];
    return { counted: ok + failed, failed, codes, ok, histogram: mergeHistograms(all('ok')?.histograms ?? []) };
  });
}

/** What the account itself paid, of uses that have a price. */
export async function spendingByAgent(db: Knex, ownerId: string, agents: readonly LookedAt[], now: number): Promise<Map<string, Twice<AgentSpending>>> {
  const { rows } = await db.raw<{ rows: ({ agent_id: string; now: boolean } & AgentSpending)[] }>(
    `select a.agent_id, u.started_at >= :since as now, count(distinct u.run_id)::int as runs, sum(u.cost_micros)::bigint as micros
     from llm_usage u join unnest(:ids::text[], :names::text[]) a(agent_id, name) on a.name = u.agent_name
     where u.user_id = :owner and u.started_at >= :before and u.ended_at is not null and u.run_id is not null and u.cost_micros is not null group by 1, 2`,
    { owner: ownerId, ids: agents.map(({ agent_id }) => agent_id), names: agents.map(({ name }) => name), ...windowsOf(now) },
  );
  return twice(rows, ([one]) => one ?? NO_SPENDING);
}

function twice<R extends { agent_id: string; now: boolean }, T>(rows: readonly R[], of: (some: R[]) => T): Map<string, Twice<T>> {
  const byAgent = Map.groupBy(rows, ({ agent_id }) => agent_id);
  return new Map([...byAgent].map(([id, some]) => [id, { now: of(some.filter((row) => row.now)), before: of(some.filter((row) => !row.now)) }]));
}

export const noCalls: Twice<Calls> = { now: NO_CALLS, before: NO_CALLS };
export const noSpending: Twice<AgentSpending> = { now: NO_SPENDING, before: NO_SPENDING };
