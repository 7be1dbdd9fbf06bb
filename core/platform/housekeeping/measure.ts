// What operators watch of the durable state: how much is open, and how long the oldest of it has been
// waiting.
import type { Knex } from 'knex';
import { openRunStates } from '../../kernel/run-state.ts';

export interface Measured {
  outbox: { unsent: number; oldest_seconds: number };
  /** Open ones by kind. */
  waits: Record<string, number>;
  /** Open though their time is over: their workflows are late or lost. */
  waits_overdue: number;
  /** Since the decision of the longest undelivered one whose run still continues. */
  wait_undelivered_seconds: number;
  /** Open ones by state. */
  runs: Record<string, number>;
  /** Open ones by kind and state. */
  jobs: { kind: string; state: string; count: number }[];
  job_queued_seconds: number;
  /** Certificates of custom domains that should have been renewed a day ago. */
  certificates_overdue: number;
}

/** A wait's own timer may be this late on a busy machine. */
const overdueSeconds = 60;

export async function measure(db: Knex): Promise<Measured> {
  const { rows } = await db.raw<{ rows: Measured[] }>(
    `select
       (select jsonb_build_object('unsent', count(*), 'oldest_seconds', ${age('created_at')}) from outbox where sent_at is null) as outbox,
       (select coalesce(jsonb_object_agg(kind, n), '{}') from (select kind, count(*) as n from waits where state = 'pending' group by kind) k) as waits,
       (select count(*)::int from waits where state = 'pending' and expires_at < now() - interval '${overdueSeconds} seconds') as waits_overdue,
       (select ${age('w.resolved_at')} from runs r join waits w using (run_id)
         where r.state in (${openRunStates}) and w.resolved_at is not null and w.delivered_at is null and w.state <> 'cancelled') as wait_undelivered_seconds,
       (select coalesce(jsonb_object_agg(state, n), '{}') from (select state, count(*) as n from runs where state in (${openRunStates}) group by state) s) as runs,
       (select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'state', state, 'count', n)), '[]')
         from (select kind, state, count(*) as n from jobs where ended_at is null group by kind, state) j) as jobs,
       (select ${age('created_at')} from jobs where ended_at is null and state = 'queued') as job_queued_seconds,
       (select count(*)::int from domain_certificates c join agent_domains d using (domain_id)
         where c.state = 'issued' and d.state = 'active' and c.renew_at < now() - interval '1 day') as certificates_overdue`,
  );
  const [measured] = rows;
  if (!measured) throw new Error('the database answered with no row');
  return measured;
}

/** Seconds since the earliest of them; 0 when there is none. */
function age(column: string): string {
  return `coalesce(extract(epoch from now() - min(${column})), 0)::float8`;
}
