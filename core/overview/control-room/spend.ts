// What the account's model credentials and its calls of priced skills cost this month, and how that stands to
// the budgets of its policy.
import type { Knex } from 'knex';
import type { ControlRoomOut } from '#contract/overview/control-room.ts';
import { dayOf } from '../../money/llm/credential.ts';
import { type Budget, budgetsIn } from '../../policy/budgets.ts';
import type { SetPolicy } from '../../policy/policy.ts';

type Spend = ControlRoomOut['spend'];
const MOST = 10;

/** A call of a priced skill counts for the agent that is called. */
const SPENT = `(
  select agent_name, person_id, run_id, cost_micros, case when state = 'running' then reserved_micros else 0 end as reserved_micros,
         ended_at is not null and cost_micros is null as unpriced, false as charged
  from llm_usage where user_id = :userId and day between :since and :until
  union all
  select a.name, c.person_id, c.run_id, c.amount_micros, case when c.state = 'held' then c.held_micros else 0 end, false, true
  from charges c left join agents a using (agent_id)
  where c.payer_id = :userId and c.state <> 'released' and c.started_at >= :since::timestamp at time zone 'UTC'
) spent`;

export async function spendOf(db: Knex, userId: string, set: SetPolicy | undefined, now: number): Promise<Spend> {
  const day = dayOf(now);
  const month = day.slice(0, 7);
  const spent = (): Knex.QueryBuilder => db.from(db.raw(SPENT, { userId, since: `${month}-01`, until: `${month}-31` }));
  const by = (column: 'agent_name' | 'person_id' | 'run_id'): Promise<Spend['by_agent']> =>
    spent()
      .whereNotNull(column)
      .select<Spend['by_agent']>({ key: column }, db.raw('coalesce(sum(cost_micros), 0)::bigint as cost_micros'), db.raw('count(*)::int as calls'))
      .groupBy(column)
      .orderBy([{ column: 'cost_micros', order: 'desc' }, { column }])
      .limit(MOST);
  const [totals, by_agent, by_person, by_run] = await Promise.all([
    spent().first<Totals>(
      db.raw('coalesce(sum(cost_micros), 0)::bigint as cost_micros'),
      db.raw('coalesce(sum(cost_micros) filter (where charged), 0)::bigint as charged_micros'),
      db.raw('coalesce(sum(reserved_micros), 0)::bigint as reserved_micros'),
      db.raw('(count(*) filter (where unpriced))::int as unpriced_calls'),
    ),
    by('agent_name'),
    by('person_id'),
    by('run_id'),
  ]);
  const today = { agents: by_agent, people: by_person, runs: by_run };
  return { month, ...totals, budgets: await budgetsShown(db, userId, set, { day, ...today }), by_agent, by_person, by_run };
}

type Totals = Pick<Spend, 'cost_micros' | 'charged_micros' | 'reserved_micros' | 'unpriced_calls'>;

interface Keys {
  day: string;
  agents: Spend['by_agent'];
  people: Spend['by_agent'];
  runs: Spend['by_agent'];
}

/** Those of the account, and of the agents, people and runs that cost most. */
async function budgetsShown(db: Knex, userId: string, set: SetPolicy | undefined, { day, agents, people, runs }: Keys): Promise<Spend['budgets']> {
  if (!set) return [];
  const of = (facts: { agentName?: string | null; personId?: string | null; rootRunId?: string | null }) =>
    budgetsIn(set, userId, { day, agentName: null, personId: null, rootRunId: null, ...facts });
  const only = (cap: Budget['cap'], key: string | null, budgets: Budget[]) => budgets.filter((one) => one.cap === cap).map((one) => ({ ...one, of: key }));
  const shown = [
    ...of({}).map((one) => ({ ...one, of: null as string | null })),
    ...agents.flatMap(({ key }) => only('agent_day', key, of({ agentName: key }))),
    ...people.flatMap(({ key }) => only('person_day', key, of({ personId: key }))),
    ...runs.flatMap(({ key }) => only('run', key, of({ rootRunId: key }))),
  ];
  const rows = await db('llm_caps')
    .whereIn(
      'cap_id',
      shown.map(({ id }) => id),
    )
    .select('cap_id', 'spent_micros', 'reserved_micros');
  const counted = new Map(rows.map((row) => [row.cap_id, row]));
  return shown.map(({ id, cap, of: key, limitMicros }) => ({
    cap,
    of: key,
    limit_micros: limitMicros,
    spent_micros: counted.get(id)?.spent_micros ?? 0,
    reserved_micros: counted.get(id)?.reserved_micros ?? 0,
  }));
}
