// What reviews and challenges have found in live agents.
import type { Knex } from 'knex';
import type { ReviewFindingOut } from '#contract/quality/review-runs.ts';
import type { FindingSeverity } from '#contract/states.ts';
import { AUTOPILOT_DAY_MS, MOST_NAMED, OLD_FINDING_DAYS } from './thresholds.ts';

export interface AgentReview {
  agent_id: string;
  review_id: string;
  findings: Pick<ReviewFindingOut, 'hash' | 'severity' | 'rule' | 'path' | 'title' | 'message'>[];
  /** Since when its lock file is as it is; null: it has none. */
  lock_since: Date | null;
}

export interface OpenFindings {
  agent_id: string;
  count: number;
  critical: number;
  oldest: Date;
  /** The worst and oldest first. */
  named: { finding_id: string; severity: FindingSeverity; title: string; created_at: Date }[];
}

const DEPENDENCY_RULES = ['known-advisory', 'lock-file'] as const;

/** Findings in the source of live versions that were not accepted. */
export async function reviewsOf(db: Knex, deployIds: readonly string[]): Promise<Map<string, AgentReview>> {
  const { rows } = await db.raw<{ rows: AgentReview[] }>(
    `select r.agent_id, r.review_id,
       (select min(o.created_at) from review_runs o where o.agent_id = r.agent_id and o.lock_sha256 = r.lock_sha256) as lock_since,
       (select coalesce(jsonb_agg(f), '[]') from jsonb_array_elements(r.findings) f where f->>'rule' = any(:rules) and f->>'accepted' is null) as findings
     from review_runs r where r.deploy_id = any(:deploys) and r.state in ('passed', 'warning', 'failed')`,
    { deploys: [...deployIds], rules: [...DEPENDENCY_RULES] },
  );
  return new Map(rows.map((row) => [row.agent_id, row]));
}

/** Those that are critical, or have been open for long. */
export async function findingsOf(db: Knex, ids: readonly string[], now: number): Promise<Map<string, OpenFindings>> {
  const { rows } = await db.raw<{
    rows: (Omit<OpenFindings, 'oldest' | 'named'> & { oldest: Date; named: (Omit<OpenFindings['named'][number], 'created_at'> & { created_at: string })[] })[];
  }>( // prettier-ignore
    `select agent_id, count(*)::int as count, (count(*) filter (where severity = 'critical'))::int as critical, min(created_at) as oldest,
       json_agg(json_build_object('finding_id', finding_id, 'severity', severity, 'title', left(title, 200), 'created_at', created_at) order by place)
         filter (where place <= ${MOST_NAMED}) as named
     from (
       select *, row_number() over (partition by agent_id order by array_position(array['critical', 'warning', 'info'], severity), created_at, finding_id) as place
       from agent_findings where agent_id = any(:ids) and state = 'open' and (severity = 'critical' or created_at < :old)
     ) f group by agent_id`,
    { ids: [...ids], old: new Date(now - OLD_FINDING_DAYS * AUTOPILOT_DAY_MS) },
  );
  return new Map(rows.map((row) => [row.agent_id, { ...row, named: row.named.map((one) => ({ ...one, created_at: new Date(one.created_at) })) }]));
}
