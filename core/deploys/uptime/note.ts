// What each look at an agent found.
import type { Knex } from 'knex';

export interface UptimeCheck {
  agent_id: string;
  /** Why it is not well, as everyone may know it; null: it is. */
  reason: string | null;
}

/**
 * A change is kept to the second; of an agent that changes all the time no more than so many an hour are. The
 * hours count on.
 */
const MOST_CHANGES_AN_HOUR = 60;

/**
 * One row for each agent of which something is known anew. Two hosts' looks at one agent in the same second
 * may come in either order.
 * @param everySeconds shortest time between two counted checks of an agent; all its changes are kept. Absent:
 * each check counts.
 */
export async function noteLooks(db: Knex, looks: readonly UptimeCheck[], at: Date, everySeconds = 0): Promise<void> {
  if (looks.length === 0) return;
  // By agent, always in the same order: two processes that count at the same time do not wait for each other
  // in a circle.
  const rows = JSON.stringify([...looks].sort((a, b) => (a.agent_id < b.agent_id ? -1 : 1)));
  const values = { rows, at, everySeconds };
  await db.raw(
    `insert into agent_health_changes (agent_id, at, is_well, reason)
     select l.agent_id, :at, l.reason is null, left(l.reason, 500) from jsonb_to_recordset(:rows::jsonb) as l(agent_id text, reason text)
     where (l.reason is null) is distinct from (
         select is_well from agent_health_changes c where c.agent_id = l.agent_id order by c.at desc, c.change_id desc limit 1)
       and (select count(*) from agent_health_changes c where c.agent_id = l.agent_id and c.at > :at::timestamptz - interval '1 hour') < ${MOST_CHANGES_AN_HOUR}`,
    values,
  );
  await db.raw(
    `insert into agent_health_hours as h (agent_id, hour, looks, well, counted_at)
     select l.agent_id, date_trunc('hour', :at::timestamptz, 'UTC'), 1, (l.reason is null)::int, :at
     from jsonb_to_recordset(:rows::jsonb) as l(agent_id text, reason text)
     where not exists (select 1 from agent_health_hours c where c.agent_id = l.agent_id
       and c.hour = date_trunc('hour', :at::timestamptz, 'UTC') and c.counted_at > :at::timestamptz - make_interval(secs => :everySeconds))
     on conflict (agent_id, hour) do update set looks = h.looks + 1, well = h.well + excluded.well, counted_at = excluded.counted_at`,
    values,
  );
}
