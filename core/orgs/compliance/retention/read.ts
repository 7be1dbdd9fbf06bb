import type { Knex } from 'knex';
import type { CompliancePurgeOut } from '#contract/orgs/compliance.ts';
import type { CompliancePurgesRow, JobsRow } from '#db/tables.ts';
import { storedFault } from '../../../kernel/errors.ts';

export type PurgeRow = CompliancePurgesRow & Pick<JobsRow, 'state' | 'error'>;

export const REMOVED_EVENT = 'retention.removed';

/** With what their jobs say. */
export function purgeRows(db: Knex) {
  return db('compliance_purges as c').join('jobs as j', 'j.job_id', 'c.job_id').select<PurgeRow[]>('c.*', 'j.state', 'j.error');
}

export async function lastPurge(db: Knex, organizationId: string): Promise<CompliancePurgeOut | null> {
  const [row] = await purgeRows(db).where('c.organization_id', organizationId).orderBy('c.created_at', 'desc').limit(1);
  return row ? presentPurge(db, row) : null;
}

export async function presentPurge(db: Knex, row: PurgeRow): Promise<CompliancePurgeOut> {
  const { purge_id, job_id, state, requested_by } = row;
  return {
    purge_id,
    job_id,
    state,
    dry_run: false,
    before: row.before.toISOString(),
    counts: await removedBy(db, job_id),
    requested_by,
    // Safe: only jobs write it.
    error: storedFault(row.error),
    created_at: row.created_at.toISOString(),
  };
}

/** Rows by table, as the job's events say: they were written with what went. */
export async function removedBy(db: Knex, jobId: string): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { name: string; n: number }[] }>(
    `select payload->>'table' as name, sum((payload->>'count')::int)::int as n from job_events where job_id = :jobId and kind = :kind group by 1 order by 1`,
    { jobId, kind: REMOVED_EVENT },
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}
