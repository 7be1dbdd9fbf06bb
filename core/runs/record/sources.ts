// Where the list of runs comes from: long work of the account, calls that it made, calls of its agents by
// others, calls that are under way, and calls that agents only reported. Each is read in the order of an
// index, a page at most. All SQL is our own text; what is wanted is bound.
import type { RunSort } from '#contract/runs/my-runs.ts';
import type { CallPurpose, JobState } from '#contract/states.ts';
import { stateOfReceipt } from '../../evidence/receipt/run-state.ts';
import { isRising, type Keys, orderOf, type Place } from './order.ts';

export interface Wanted {
  reader: string;
  most: number;
  sort: RunSort;
  place: Place | undefined;
  from?: string | undefined;
  until?: string | undefined;
  search?: string | undefined;
  agent?: string | undefined;
  version?: string | undefined;
  kind?: string | undefined;
  state?: JobState | undefined;
  caller?: string | undefined;
  charged?: boolean | undefined;
  min_cost_micros?: number | undefined;
  probes: boolean;
}

export interface Listed {
  id: string;
  at: number;
  /** Sorts rows of one instant: an id of the row that it was read from. */
  key: string;
  kind: string;
  run_id: string | null;
  job_id: string | null;
  agent: string | null;
  skill: string | null;
  title: string | null;
  version: string | null;
  state: JobState;
  error_code: string | null;
  message: string | null;
  caller_kind: string;
  caller_user_id: string | null;
  /** Where it is not read from the run. */
  caller_agent?: string | null;
  plan_id?: string | null;
  purpose: CallPurpose | null;
  cost_micros: number | null;
  began_at: Date;
  ended_at: Date | null;
}

const MOST_AGENTS = 1_000;
/** As the indexes of what costs something say it. */
const COST = `cast(r.payload->'charge'->>'amount_micros' as bigint)`;
const STATUS: Partial<Record<JobState, 'ok' | 'error' | 'cancelled'>> = { succeeded: 'ok', failed: 'error', cancelled: 'cancelled' };
const CALLER: Readonly<Record<string, string>> = {
  you: 'user',
  account: 'user',
  agent: 'run',
  token: 'api_token',
  anonymous: 'anonymous',
  platform: 'platform',
};

/** For the texts of all sources. */
export function bindingsOf(w: Wanted): Record<string, string | number> {
  const { reader, most, place, search, agent, version, kind, state, from, until, caller, min_cost_micros: min_cost } = w;
  const all = {
    reader,
    most,
    most_agents: MOST_AGENTS,
    ...place,
    likeness: search === undefined ? undefined : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
    search,
    agent,
    version,
    kind,
    state,
    status: state && STATUS[state],
    caller: caller === undefined ? undefined : CALLER[caller],
    from,
    until,
    min_cost,
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Only receipts tell it: durable runs are then read from theirs, and not from their jobs. */
function byReceipt({ charged, min_cost_micros, version, sort }: Wanted): boolean {
  return charged === true || min_cost_micros !== undefined || version !== undefined || sort === 'costliest';
}

/** Undefined, here and below: none of these can be wanted. */
export function jobsOf(w: Wanted): string | undefined {
  if ((w.caller !== undefined && w.caller !== 'you' && w.caller !== 'agent') || w.kind === 'call' || byReceipt(w)) return undefined;
  const callerKind = `coalesce((select c.caller_kind from runs c where c.run_id = j.input->>'run_id'), 'user')`;
  return inOrder(
    w,
    `coalesce(j.input->>'run_id', j.job_id) as id, j.kind, j.input->>'run_id' as run_id, j.job_id, j.agent_name as agent, j.input->>'skill' as skill, j.title,
       j.input->>'dag_run_id' as plan_id, null as version, j.state, j.error->>'code' as error_code, left(j.error->>'message', 300) as message,
       ${callerKind} as caller_kind, j.owner_id as caller_user_id, j.input->>'purpose' as purpose, null as cost_micros,
       coalesce(j.started_at, j.created_at) as began_at, j.ended_at`,
    `jobs j where j.owner_id = :reader`,
    [
      w.kind !== undefined && 'j.kind = :kind',
      w.state !== undefined && 'j.state = :state',
      w.agent !== undefined && 'j.agent_name = :agent',
      w.caller !== undefined && `${callerKind} = :caller`,
      // As a function: the planner takes it for common, which it is.
      !w.probes && `not jsonb_exists(j.input, 'purpose')`,
      w.search !== undefined && `(j.title ilike :likeness or j.agent_name ilike :likeness or j.job_id = :search or j.workflow_id = 'run:' || :search)`,
    ],
    {
      created: 'j.created_at',
      id: 'j.job_id',
      duration: { ms: `(extract(epoch from j.ended_at - coalesce(j.started_at, j.created_at)) * 1000)::bigint`, ended: 'j.ended_at is not null' },
    },
  );
}

/** Calls that the account made, without those whose job is in the list. */
export function callsBy(w: Wanted): string | undefined {
  if (w.caller !== undefined && w.caller !== 'you' && w.caller !== 'agent') return undefined;
  const notListed = `not exists (select 1 from jobs o where o.workflow_id = 'run:' || r.run_id and o.owner_id = :reader)`;
  return receipts(w, ['r.caller_user_id = :reader', ...(byReceipt(w) ? [] : [notListed])]);
}

/** Calls of the account's agents by others: of each agent its first, in the order of its index. */
export function callsOf(w: Wanted): string | undefined {
  if (w.caller === 'you') return undefined;
  const calls = receipts(w, ['r.agent_id = mine.agent_id', 'r.caller_user_id is distinct from :reader']);
  const direction = isRising(w.sort) ? 'asc' : 'desc';
  return (
    calls &&
    `select listed.* from (select agent_id from agents where owner_id = :reader and deleted_at is null ${w.agent === undefined ? '' : 'and name = :agent'}
       order by name limit :most_agents) mine cross join lateral (${calls}) listed order by listed.at ${direction}, listed.key ${direction} limit :most`
  );
}

/** Calls between agents that went past the platform. */
export function callsReported(w: Wanted): string | undefined {
  if ((w.caller !== undefined && w.caller !== 'agent') || (w.kind !== undefined && w.kind !== 'reported') || byReceipt(w)) return undefined;
  const endedAt = `cast(s.reported->>'ended_at' as timestamptz)`;
  return inOrder(
    w,
    `s.grant_id as id, 'reported' as kind, null as run_id, null as job_id, s.agent_name as agent, s.skill, null as title, null as version,
       s.reported->>'state' as state, s.reported->>'error_code' as error_code, null as message, 'run' as caller_kind, s.owner_id as caller_user_id,
       s.caller_agent, null as purpose, null as cost_micros, s.started_at as began_at, ${endedAt} as ended_at`,
    `subagent_runs s where s.owner_id = :reader and s.source = 'reported'`,
    [
      w.state !== undefined && `s.reported->>'state' = :state`,
      w.agent !== undefined && 's.agent_name = :agent',
      w.search !== undefined && '(s.skill ilike :likeness or s.agent_name ilike :likeness or s.grant_id = :search)',
    ],
    {
      created: 's.started_at',
      id: 's.grant_id',
      duration: { ms: `(extract(epoch from ${endedAt} - s.started_at) * 1000)::bigint`, ended: `${endedAt} is not null` },
    },
  );
}

/** Plain calls that take longer than a moment. */
export function callsUnderWay(w: Wanted): string | undefined {
  const isOther = w.kind !== undefined && w.kind !== 'call';
  if (isOther || (w.caller !== undefined && w.caller !== 'you') || byReceipt(w)) return undefined;
  if (w.state !== undefined && w.state !== 'running') return undefined;
  return inOrder(
    w,
    `c.run_id as id, 'call' as kind, c.run_id, null as job_id, a.name as agent, c.skill, null as title, null as version, 'running' as state,
       null as error_code, null as message, 'user' as caller_kind, c.user_id as caller_user_id, null as purpose, null as cost_micros,
       c.started_at as began_at, null as ended_at`,
    `call_contents c join agents a using (agent_id) where c.user_id = :reader and c.state = 'running'`,
    [
      'not exists (select 1 from receipts r where r.run_id = c.run_id)',
      w.agent !== undefined && 'a.name = :agent',
      w.search !== undefined && '(c.skill ilike :likeness or a.name ilike :likeness or c.run_id = :search)',
    ],
    { created: 'c.started_at', id: 'c.run_id' },
  );
}

function receipts(w: Wanted, whose: readonly string[]): string | undefined {
  const status = w.state === undefined ? undefined : STATUS[w.state];
  if ((w.state !== undefined && status === undefined) || (w.kind !== undefined && w.kind !== 'call' && w.kind !== 'run')) return undefined;
  // With a limit it is looked up for each row: the jobs of everybody are not hashed for fifty.
  const isDurable = `coalesce((select true from jobs d where d.workflow_id = 'run:' || r.run_id limit 1), false)`;
  return inOrder(
    w,
    `r.run_id as id, case when ${isDurable} then 'run' else 'call' end as kind, r.run_id, null as job_id, a.name as agent, r.skill, null as title,
       r.payload->'agent'->>'version' as version, ${stateOfReceipt('r.status')} as state,
       r.payload->>'error_code' as error_code, null as message, r.caller_kind, r.caller_user_id, r.purpose,
       nullif(${COST}, 0) as cost_micros, r.started_at as began_at, r.ended_at`,
    `receipts r join agents a using (agent_id) where ${whose.join(' and ')} and r.source = 'platform' and r.run_id is not null`,
    [
      status !== undefined && 'r.status = :status',
      // As the index of what did not go well says it.
      status !== undefined && status !== 'ok' && `r.status <> 'ok'`,
      w.kind !== undefined && (w.kind === 'run' ? isDurable : `not ${isDurable}`),
      // The index of calls between agents has it as a word.
      w.caller !== undefined && (w.caller === 'agent' ? `r.caller_kind = 'run'` : 'r.caller_kind = :caller'),
      w.agent !== undefined && 'r.agent_id = (select agent_id from agents where name = :agent limit 1)',
      w.version !== undefined && 'r.deploy_id in (select d.deploy_id from deployments d where d.version = :version and d.agent_id = r.agent_id)',
      (w.charged === true || w.min_cost_micros !== undefined) && `${COST} > 0`,
      w.min_cost_micros !== undefined && `${COST} >= cast(:min_cost as bigint)`,
      !w.probes && `r.purpose is null and r.caller_kind <> 'platform'`,
      w.search !== undefined && '(r.skill ilike :likeness or a.name ilike :likeness or r.run_id = :search or r.receipt_id = :search)',
    ],
    { created: 'r.created_at', id: 'r.receipt_id', duration: { ms: 'r.duration_ms' }, cost: COST },
  );
}

function inOrder(w: Wanted, columns: string, from: string, conditions: readonly (string | false)[], keys: Keys): string | undefined {
  const sorted = orderOf(w.sort, w.place, keys);
  if (!sorted) return undefined;
  const { created, id } = keys;
  const more = [...conditions, w.from !== undefined && `${created} >= :from`, w.until !== undefined && `${created} < :until`, ...sorted.conditions];
  const all = more.flatMap((condition) => (condition === false ? [] : ` and ${condition}`)).join('');
  return `select ${columns}, ${sorted.value} as at, ${id} as key from ${from}${all} order by ${sorted.order} limit :most`;
}
