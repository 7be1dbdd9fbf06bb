// The calls and runs that show a cause. Read only for what is going to be proposed, and among the newest of
// an agent.
import type { Knex } from 'knex';
import { OTHER_WORD } from '../../evidence/insights/count-calls.ts';
import type { Cause, Evidence } from './cause.ts';
import { dollars } from './cause.ts';
import { windowsOf } from './facts.ts';
import { MOST_EVIDENCE, MOST_LOOKED_THROUGH } from './thresholds.ts';

type EvidenceQuery = (db: Knex, causes: readonly Cause[], i: { owner: string; since: Date }) => Promise<{ agent_id: string; evidence: Evidence }[]>;

const QUERIES: Partial<Record<Cause['category'], EvidenceQuery>> = { failures: failedCalls, latency: slowCalls, cost: costlyRuns };

/** The causes, each with what shows it. */
export async function withEvidence(db: Knex, ownerId: string, causes: readonly Cause[], now: number): Promise<Cause[]> {
  const shown: Cause[] = [];
  for (const [category, some] of Map.groupBy(causes, (cause) => cause.category)) {
    const results = await QUERIES[category]?.(db, some, { owner: ownerId, since: windowsOf(now).since });
    const byAgent = Map.groupBy(results ?? [], ({ agent_id }) => agent_id);
    shown.push(
      ...some.map((cause) => ({ ...cause, evidence: [...cause.evidence, ...(byAgent.get(cause.agent.agent_id) ?? []).map(({ evidence }) => evidence)] })),
    );
  }
  return shown;
}

const idsOf = (causes: readonly Cause[]): string[] => causes.map(({ agent }) => agent.agent_id);
const newest = (columns: string): string => `select receipt_id, skill, status, duration_ms, created_at, ${columns} from receipts
  where agent_id = x.agent_id and source = 'platform' and created_at >= :since order by created_at desc, receipt_id desc limit ${MOST_LOOKED_THROUGH}`;

interface CallRow {
  agent_id: string;
  receipt_id: string;
  skill: string;
  duration_ms: number;
  created_at: Date;
}

const receipt = (row: CallRow, how: string) => ({
  agent_id: row.agent_id,
  evidence: {
    kind: 'receipt' as const,
    id: row.receipt_id,
    text: `${row.skill.slice(0, 64)} ${how} on ${row.created_at.toISOString()}, ${row.duration_ms} ms`,
  },
});

async function failedCalls(db: Knex, causes: readonly Cause[], { since }: { since: Date }): ReturnType<EvidenceQuery> {
  const { rows } = await db.raw<{ rows: (CallRow & { code: string })[] }>(
    `select x.agent_id, x.code, r.receipt_id, r.skill, r.duration_ms, r.created_at
     from unnest(:ids::text[], :codes::text[]) x(agent_id, code)
     cross join lateral (
       select * from (${newest('payload')}) n
       where n.status = 'error' and x.code in (coalesce(n.payload->>'error_code', n.status), '${OTHER_WORD}') order by n.created_at desc limit ${MOST_EVIDENCE}
     ) r`,
    { ids: idsOf(causes), codes: causes.map(({ what }) => what), since },
  );
  return rows.map((row) => receipt(row, `failed with ${row.code}`));
}

async function slowCalls(db: Knex, causes: readonly Cause[], { since }: { since: Date }): ReturnType<EvidenceQuery> {
  const { rows } = await db.raw<{ rows: CallRow[] }>(
    `select x.agent_id, r.receipt_id, r.skill, r.duration_ms, r.created_at
     from unnest(:ids::text[]) x(agent_id)
     cross join lateral (select * from (${newest('seq')}) n where n.status = 'ok' order by n.duration_ms desc, n.receipt_id limit ${MOST_EVIDENCE}) r`,
    { ids: idsOf(causes), since },
  );
  return rows.map((row) => receipt(row, 'was slow'));
}

async function costlyRuns(db: Knex, causes: readonly Cause[], i: { owner: string; since: Date }): ReturnType<EvidenceQuery> {
  const { rows } = await db.raw<{ rows: { agent_id: string; run_id: string; micros: number; uses: number }[] }>(
    `select x.agent_id, u.run_id, u.micros, u.uses
     from unnest(:ids::text[], :names::text[]) x(agent_id, name)
     cross join lateral (
       select run_id, sum(cost_micros)::bigint as micros, count(*)::int as uses from (
         select run_id, cost_micros from llm_usage
         where agent_name = x.name and user_id = :owner and started_at >= :since and run_id is not null and cost_micros is not null
         order by started_at desc, usage_id desc limit ${MOST_LOOKED_THROUGH}
       ) n group by run_id order by 2 desc, 1 limit ${MOST_EVIDENCE}
     ) u`,
    { ids: idsOf(causes), names: causes.map(({ agent }) => agent.name), ...i },
  );
  return rows.map(({ agent_id, run_id, micros, uses }) => ({
    agent_id,
    evidence: { kind: 'run', id: run_id, text: `Cost ${dollars(micros)} for ${uses} requests to a language model` },
  }));
}
