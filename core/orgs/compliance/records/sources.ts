// Where decisions are written down: each source says in SQL which of its rows are the organization's and when
// they were recorded. Nothing is copied: a record is read from the row that it is.
import type { DecisionKind, DecisionOutcome } from '#contract/states.ts';
import { DENIAL_OUTCOMES, POLICY_OUTCOMES, RECEIPT_STATUSES, WAIT_STATES } from '#contract/states.ts';
import { instantOf } from '../../../kernel/keyset.ts';

export interface RecordFilter {
  kinds: readonly DecisionKind[];
  organizationId: string;
  agent?: string | undefined;
  outcome?: DecisionOutcome | undefined;
  /** Recorded at this time or later, and before that. */
  from?: string | undefined;
  to?: string | undefined;
  /** Those before this place. Microseconds since the epoch, and an id. */
  after?: { at: number; id: string } | undefined;
  limit: number;
}

export type SourceName = 'receipts' | 'decisions' | 'denials' | 'waits' | 'changes';

interface Source {
  kind: DecisionKind;
  /** Of records of this source. */
  prefix: string;
  outcomes: readonly string[];
  /** `bounds(time, id)`: the conditions of the filter over these columns, and the order and limit. */
  keys(filter: RecordFilter, bounds: (time: string, id: string, outcome: string) => string): string;
}

/**
 * What people and their tokens do beside calling agents and answering them, which are records of their own.
 */
const CHANGES = `l.actor_kind in ('user', 'api_token', 'source_token') and l.action not like 'run.%' and l.action not like 'wait.%' and l.action not like 'dag.%' and l.action <> 'job.cancel'`;

/** Rows of the organization's agents, each agent's by its own index. */
function ofAgents({ table, id, outcome }: { table: string; id: string; outcome: string }): Source['keys'] {
  return ({ agent }, bounds) => `select r.* from agents a cross join lateral (
      select t.${id} as record_id, t.created_at as recorded_at from ${table} t where t.agent_id = a.agent_id ${bounds('t.created_at', `t.${id}`, `t.${outcome}`)}
    ) r where a.owner_id = :organizationId ${agent === undefined ? '' : 'and a.name = :agent'}`;
}

export const RECORD_SOURCES: Record<SourceName, Source> = {
  receipts: {
    kind: 'skill_execution',
    prefix: 'rcp',
    outcomes: RECEIPT_STATUSES,
    keys: ofAgents({ table: 'receipts', id: 'receipt_id', outcome: 'status' }),
  },
  decisions: {
    kind: 'authorization',
    prefix: 'pdc',
    outcomes: POLICY_OUTCOMES,
    keys: ({ agent }, bounds) => `select t.decision_id as record_id, t.decided_at as recorded_at from policy_decisions t where t.owner_id = :organizationId
        ${agent === undefined ? '' : `and coalesce(t.request->'principal'->>'agent', case when t.request->'principal'->>'type' = 'Agent' then t.request->'principal'->>'name' end) = :agent`}
        ${bounds('t.decided_at', 't.decision_id', 't.outcome')}`,
  },
  // What a rule denied is the decision of that rule, above.
  denials: {
    kind: 'authorization',
    prefix: 'pdn',
    outcomes: DENIAL_OUTCOMES,
    keys: (
      { agent },
      bounds,
    ) => `select t.denial_id as record_id, t.created_at as recorded_at from policy_denials t where t.user_id = :organizationId and t.decision_id is null
        ${agent === undefined ? '' : 'and t.agent_name = :agent'} ${bounds('t.created_at', 't.denial_id', 't.outcome')}`,
  },
  waits: {
    kind: 'authorization',
    prefix: 'wait',
    outcomes: WAIT_STATES,
    keys: ofAgents({ table: 'waits', id: 'wait_id', outcome: 'state' }),
  },
  changes: {
    kind: 'admin_action',
    prefix: 'aud',
    outcomes: ['done'],
    // Of the platform for the organization: what it removed, what it exported.
    keys: ({ agent }, bounds) => {
      const ofAgent = agent === undefined ? '' : `and l.target_id in (select agent_id from agents where owner_id = :organizationId and name = :agent)`;
      const half = (whose: string): string =>
        `(select l.audit_id as record_id, l.at as recorded_at from audit_log l where ${whose} ${ofAgent} ${bounds('l.at', 'l.audit_id', "'done'")})`;
      return `${half(`l.owner_id = :organizationId and ${CHANGES}`)} union all ${half(`l.target_id = :organizationId and l.owner_id is null`)}`;
    },
  },
};

export const SOURCE_NAMES: readonly SourceName[] = ['receipts', 'decisions', 'denials', 'waits', 'changes'];

/** Sources that can have records of the filter. */
export function sourcesOf({ kinds, outcome }: Pick<RecordFilter, 'kinds' | 'outcome'>): SourceName[] {
  return SOURCE_NAMES.filter((name) => kinds.includes(RECORD_SOURCES[name].kind) && (outcome === undefined || RECORD_SOURCES[name].outcomes.includes(outcome)));
}

/**
 * SQL of the keys of a page, newest first, with its bindings. Each source gives at most as many rows as the
 * page has.
 */
export function keysSql(names: readonly SourceName[], filter: RecordFilter): { sql: string; bindings: Record<string, string | number> } {
  const { agent, outcome, from, to, after, limit, organizationId } = filter;
  const bounds = (time: string, id: string, outcomeColumn: string): string =>
    [
      outcome === undefined || outcomeColumn.startsWith("'") ? '' : `and ${outcomeColumn} = :outcome`,
      from === undefined ? '' : `and ${time} >= :from::timestamptz`,
      to === undefined ? '' : `and ${time} < :to::timestamptz`,
      after === undefined ? '' : `and (${time}, ${id}) < (${instantOf('afterAt')}, :afterId)`,
      `order by ${time} desc, ${id} desc limit :limit`,
    ].join(' ');
  const each = names.map((name) => `select '${name}' as source, k.record_id, k.recorded_at from (${RECORD_SOURCES[name].keys(filter, bounds)}) k`);
  const bindings = {
    organizationId,
    limit,
    ...(agent !== undefined && { agent }),
    ...(outcome !== undefined && { outcome }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(after !== undefined && { afterAt: after.at, afterId: after.id }),
  };
  return { sql: each.join(' union all '), bindings };
}
