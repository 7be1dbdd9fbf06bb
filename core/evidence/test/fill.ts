// Receipts as calls leave them, made inside PostgreSQL: as many as one likes, with nothing sealed. For tests
// and benchmarks.
import type { Knex } from 'knex';

export interface Filled {
  agentId: string;
  /** Who calls: in turn. Null: nobody that is known. */
  callers: readonly (string | null)[];
  deployId: string | null;
  count: number;
  /** Seconds between two, from `until` back. */
  everySeconds: number;
  /** RFC 3339. */
  until: string;
  /** Default: greet. In turn. */
  skills?: readonly string[];
}

/**
 * The next `count` of the agent's chain: every seventh failed, every thirteenth was cancelled, and durations
 * are from 1 ms to a minute.
 */
export async function fillReceipts(db: Knex, { agentId, callers, deployId, count, everySeconds, until, skills = ['greet'] }: Filled): Promise<void> {
  await db.raw(
    `with start as (select coalesce(max(seq), 0) as seq from receipts where agent_id = :agentId)
     insert into receipts (receipt_id, agent_id, seq, source, kid, token, payload, payload_sha256, skill, status, caller_kind, caller_id, caller_user_id, deploy_id,
                           started_at, ended_at, duration_ms, created_at)
     select 'rcp_' || right(:agentId, 12) || '-' || lpad(seq::text, 9, '0'), :agentId, seq, 'platform', 'key_none', 'token', jsonb_build_object(
              'agent', jsonb_build_object('version', '1.' || seq % 2 || '.0'), 'grants', '[]'::jsonb, 'handoffs', '[]'::jsonb,
              'error_code', case when seq % 7 = 0 then (array['agent_timeout', 'skill_timeout', 'bad_input'])[1 + seq % 3] end),
            repeat('0', 64), (cast(:skills as text[]))[1 + seq % cardinality(cast(:skills as text[]))],
            case when seq % 7 = 0 then 'error' when seq % 13 = 0 then 'cancelled' else 'ok' end,
            case when caller is null then 'api_token' else 'user' end, caller, caller, :deployId, at, at, 1 + (seq * 7919) % (10 ^ (1 + seq % 5))::int, at
     from (
       select start.seq + n as seq, cast(:until as timestamptz) - (cast(:count as int) - n) * cast(:everySeconds as double precision) * interval '1 second' as at,
              (cast(:callers as text[]))[1 + n % cardinality(cast(:callers as text[]))] as caller
       from start, generate_series(1, :count) n
     ) made`,
    { agentId, deployId, count, everySeconds, until, callers: [...callers], skills: [...skills] },
  );
  await db.raw(
    `insert into receipt_chains (agent_id, seq, head_sha256) values (:agentId, :count, repeat('0', 64))
     on conflict (agent_id) do update set seq = receipt_chains.seq + excluded.seq`,
    { agentId, count },
  );
}
