// Where the list of runs comes from: long work of the account, calls that it made, calls of its agents by
// others, and calls that are under way. Each is read in the order of an index, a page at most. All SQL is our
// own text; what is wanted is bound.
import type { CallPurpose, JobState } from '#contract/states.ts';
import { stateOfReceipt } from '../../evidence/receipt/run-state.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';

export interface Wanted {
  reader: string;
  most: number;
  /** Behind which the page begins: microseconds since the epoch, and the id there. */
  place: { at: number; id: string } | undefined;
  from?: string | undefined;
  until?: string | undefined;
  search?: string | undefined;
  agent?: string | undefined;
  version?: string | undefined;
  kind?: string | undefined;
  state?: JobState | undefined;
  caller?: string | undefined;
  charged?: boolean | undefined;
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
  purpose: CallPurpose | null;
  cost_micros: number | null;
  began_at: Date;
  ended_at: Date | null;
}

const MOST_AGENTS = 1_000;
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
  const { reader, most, place, search, agent, version, kind, state, from, until, caller } = w;
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
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Undefined, here and below: none of these can be wanted. */
export function jobsOf(w: Wanted): string | undefined {
  if ((w.caller !== undefined && w.caller !== 'you') || w.kind === 'call' || w.charged === true || w.version !== undefined) return undefined;
  return inOrder(
    w,
    `coalesce(j.input->>'run_id', j.job_id) as id, j.kind, j.input->>'run_id' as run_id, j.job_id, j.agent_name as agent, j.input->>'skill' as skill, j.title,
       null as version, j.state, j.error->>'code' as error_code, left(j.error->>'message', 300) as message, 'user' as caller_kind,
       j.owner_id as caller_user_id, j.input->>'purpose' as purpose, null as cost_micros, coalesce(j.started_at, j.created_at) as began_at, j.ended_at`,
    `jobs j where j.owner_id = :reader`,
    [
      w.kind !== undefined && 'j.kind = :kind',
      w.state !== undefined && 'j.state = :state',
      w.agent !== undefined && 'j.agent_name = :agent',
      !w.probes && `j.input->>'purpose' is null`,
      w.search !== undefined && `(j.title ilike :likeness or j.agent_name ilike :likeness or j.job_id = :search or j.workflow_id = 'run:' || :search)`,
    ],
    ['j.created_at', 'j.job_id'],
  );
}

/** Calls that the account made, without those whose job is in the list. */
export function callsBy(w: Wanted): string | undefined {
  if (w.caller !== undefined && w.caller !== 'you' && w.caller !== 'agent') return undefined;
  return receipts(w, ['r.caller_user_id = :reader', `not exists (select 1 from jobs o where o.workflow_id = 'run:' || r.run_id and o.owner_id = :reader)`]);
}

/** Calls of the account's agents by others: of each agent its newest, in the order of its index. */
export function callsOf(w: Wanted): string | undefined {
  if (w.caller === 'you') return undefined;
  const calls = receipts(w, ['r.agent_id = mine.agent_id', 'r.caller_user_id is distinct from :reader']);
  return (
    calls &&
    `select listed.* from (select agent_id from agents where owner_id = :reader and deleted_at is null ${w.agent === undefined ? '' : 'and name = :agent'}
       order by name limit :most_agents) mine cross join lateral (${calls}) listed order by listed.at desc, listed.key desc limit :most`
  );
}

/** Plain calls that take longer than a moment. */
export function callsUnderWay(w: Wanted): string | undefined {
  const isOther = w.kind !== undefined && w.kind !== 'call';
  if (isOther || (w.caller !== undefined && w.caller !== 'you') || w.charged === true || w.version !== undefined) return undefined;
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
    ['c.started_at', 'c.run_id'],
  );
}

function receipts(w: Wanted, whose: readonly string[]): string | undefined {
  const status = w.state === undefined ? undefined : STATUS[w.state];
  if ((w.state !== undefined && status === undefined) || (w.kind !== undefined && w.kind !== 'call' && w.kind !== 'run')) return undefined;
  const isDurable = `exists (select 1 from jobs d where d.workflow_id = 'run:' || r.run_id)`;
  return inOrder(
    w,
    `r.run_id as id, case when ${isDurable} then 'run' else 'call' end as kind, r.run_id, null as job_id, a.name as agent, r.skill, null as title,
       r.payload->'agent'->>'version' as version, ${stateOfReceipt('r.status')} as state,
       r.payload->>'error_code' as error_code, null as message, r.caller_kind, r.caller_user_id, r.purpose,
       nullif(cast(r.payload->'charge'->>'amount_micros' as bigint), 0) as cost_micros, r.started_at as began_at, r.ended_at`,
    `receipts r join agents a using (agent_id) where ${whose.join(' and ')} and r.source = 'platform' and r.run_id is not null`,
    [
      status !== undefined && 'r.status = :status',
      // As the index of what did not go well says it.
      status !== undefined && status !== 'ok' && `r.status <> 'ok'`,
      w.kind !== undefined && (w.kind === 'run' ? isDurable : `not ${isDurable}`),
      w.caller !== undefined && 'r.caller_kind = :caller',
      w.agent !== undefined && 'r.agent_id = (select agent_id from agents where name = :agent limit 1)',
      w.version !== undefined && 'r.deploy_id in (select d.deploy_id from deployments d where d.version = :version and d.agent_id = r.agent_id)',
      w.charged === true && `cast(r.payload->'charge'->>'amount_micros' as bigint) > 0`,
      !w.probes && `r.purpose is null and r.caller_kind <> 'platform'`,
      w.search !== undefined && '(r.skill ilike :likeness or a.name ilike :likeness or r.run_id = :search or r.receipt_id = :search)',
    ],
    ['r.created_at', 'r.receipt_id'],
  );
}

function inOrder(w: Wanted, columns: string, from: string, conditions: readonly (string | false)[], [at, id]: readonly [string, string]): string {
  const more = [
    ...conditions,
    w.from !== undefined && `${at} >= :from`,
    w.until !== undefined && `${at} < :until`,
    w.place !== undefined && `(${at}, ${id}) < (${instantOf('at')}, :id)`,
  ].filter((condition) => condition !== false);
  const all = more.map((condition) => ` and ${condition}`).join('');
  return `select ${columns}, ${microseconds(at)} as at, ${id} as key from ${from}${all} order by ${at} desc, ${id} desc limit :most`;
}
