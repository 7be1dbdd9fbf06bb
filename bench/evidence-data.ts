// A year of an agent's life, made inside PostgreSQL: receipts with uneven callers, skills, versions, outcomes
// and durations, and the records that evidence is joined with.
import type { Knex } from 'knex';

export interface YearOf {
  agentId: string;
  name: string;
  owner: string;
  /** An account that called now and then in the first months, and never since. */
  rare: string;
  receipts: number;
}

const VERSIONS = 24;
/** Accounts that call, besides the owner and the rare one. */
export const CALLERS = 300;

/** On one connection. Rows are not compared with what they refer to, which would take most of the time. */
export async function fillYear(db: Knex, { agentId, name, owner, rare, receipts }: YearOf): Promise<void> {
  await db.raw('set session_replication_role = replica');
  const of = { agent: agentId, name, owner, rare, receipts, key: agentId.slice(-6) };
  await db('agents').insert({
    agent_id: agentId,
    name,
    owner_id: owner,
    kind: 'hosted',
    visibility: 'public',
    skills: Array.from({ length: 8 }, (_, n) => `skill-${n}`),
    live_deploy_id: `dep_${of.key}_${VERSIONS}`,
    deploy_count: VERSIONS,
  });
  for (const sql of STATEMENTS) await db.raw(sql, of);
  await db.raw('drop table made');
  await db.raw('set session_replication_role = origin');
}

export async function fillCallers(db: Knex): Promise<void> {
  await db.raw(
    `insert into users (user_id, issuer, subject, email) select 'usr_c' || n, 'bench', 'c' || n, 'c' || n || '@svc.local' from generate_series(0, ?::int - 1) n`,
    [CALLERS],
  );
}

/** A number from 0 to 1, the same for the same row. */
const random = (salt: number): string => `((hashint8(n * 64 + ${salt})::bigint & 2147483647) / 2147483648.0)`;
/** Every so many in a hundred thousand of the calls. */
const some = (salt: number, of: number): string => `hashint8(n * 64 + ${salt})::bigint & 2147483647 < 2147483648 / 100000 * ${of}`;
const skip = `'{}'::jsonb`;

const STATEMENTS = [
  `create temporary table made as
   select n, at, case when ${random(1)} < 0.1 then cast(:owner as text) when ${random(1)} < 0.2 then null
            when n % greatest(1, cast(:receipts as int) / 100) = 7 and n < cast(:receipts as int) / 3 then cast(:rare as text)
            else 'usr_c' || floor(${CALLERS} * power(${random(2)}, 3))::int end as caller,
          'skill-' || floor(8 * power(${random(3)}, 2))::int as skill,
          case when ${random(4)} < 0.05 then 'error' when ${random(4)} < 0.065 then 'cancelled' else 'ok' end as status,
          least(86400000, greatest(1, exp(5 + 1.3 * (${random(5)} + ${random(6)} + ${random(7)} - 1.5) * 2)))::int as ms,
          1 + (n - 1) * ${VERSIONS} / cast(:receipts as int) as version,
          'run_' || :key || n as run_id, ${some(8, 15_000)} as durable
   from (
     select n, now() - interval '365 days' + interval '365 days' * ((n - ${random(9)}) / cast(:receipts as int)) as at from generate_series(1::bigint, :receipts) n
   ) calls`,
  `insert into deployments (deploy_id, agent_id, number, state, job_id, created_by, version, entrypoint, manifest, source_key, source_sha256, source_bytes, created_at, live_at)
   select 'dep_' || :key || '_' || v, :agent, v, case when v = ${VERSIONS} then 'live' else 'superseded' end, 'job_' || :key || 'd' || v, :owner, '1.' || v || '.0', 'agent:A', ${skip}, 'k',
          repeat('0', 64), 1, at, at from (select version as v, min(at) as at from made group by 1) first`,
  `insert into jobs (job_id, kind, state, title, owner_id, agent_id, agent_name, input, created_at, ended_at)
   select job_id, 'deploy', 'succeeded', 'Deploy', :owner, :agent, :name, ${skip}, created_at, created_at from deployments where agent_id = :agent`,
  `insert into receipts (receipt_id, agent_id, seq, source, kid, token, payload, payload_sha256, skill, status, caller_kind, caller_id, caller_user_id, deploy_id, job_id, run_id,
                         started_at, ended_at, duration_ms, created_at)
   select 'rcp_' || :key || lpad(n::text, 9, '0'), :agent, n, 'platform', 'key_none', repeat('t', 900), jsonb_build_object(
            'agent', jsonb_build_object('version', '1.' || version || '.0'), 'grants', case when ${some(10, 5_000)} then jsonb_build_array('grt_' || :key || n) else '[]'::jsonb end,
            'handoffs', '[]'::jsonb, 'files', '[]'::jsonb, 'runtime', repeat('0', 64),
            'error_code', case when status = 'error' then (array['agent_timeout', 'skill_timeout', 'bad_input', 'skill_failed', 'agent_unreachable'])[1 + n % 5] end),
          repeat('0', 64), skill, status, case when caller is null then 'api_token' else 'user' end, caller, caller, 'dep_' || :key || '_' || version,
          case when durable then 'job_' || :key || n end, run_id, at, at, ms, at from made order by n`,
  `insert into receipt_chains (agent_id, seq, head_sha256) values (:agent, :receipts, repeat('0', 64))`,
  `insert into jobs (job_id, kind, state, title, owner_id, agent_id, agent_name, input, created_at, ended_at)
   select 'job_' || :key || n, 'run', 'succeeded', skill, coalesce(caller, :owner), :agent, :name, ${skip}, at, at from made where durable`,
  `insert into agent_sessions (session_id, user_id, agent_id, run_id, job_id, header, seal, started_at)
   select 'ses_' || :key || n, caller, :agent, run_id, 'job_' || :key || n, jsonb_build_object('skill', skill), ${skip}, at from made where durable and caller is not null and n % 5 = 0`,
  `insert into llm_usage (usage_id, user_id, credential_id, credential, provider, model, purpose, agent_name, run_id, state, input_tokens, cached_input_tokens, output_tokens, estimated,
                          reserved_micros, cost_micros, day, started_at, ended_at, cap_ids)
   select 'llu_' || :key || lpad(n::text, 9, '0'), coalesce(caller, :owner), 'llc_1', 'work', 'openai', (array['small', 'large'])[1 + n % 2], 'skill', :name, run_id, 'ok', 900, 300, 200, false,
          0, 1200, at::date, at, at, '{}' from made where ${some(11, 30_000)}`,
  `insert into grants (grant_id, kind, owner_id, issuer, audience, bucket, mode, allow_patterns, reason, issued_at, expires_at)
   select 'grt_' || :key || n, 'mint', coalesce(caller, :owner), coalesce(caller, :owner), :name, 'usr:' || coalesce(caller, :owner), 'read_only', '{a/**}', '', at, at + interval '1 hour'
   from made where ${some(10, 5_000)}`,
  `insert into subagent_runs (grant_id, owner_id, agent_name, skill, caller_agent, caller_run_id, source, run_id, calls, started_at)
   select 'grt_' || :key || 'h' || n, coalesce(caller, :owner), case when n % 3 = 0 then 'another' else :name end, skill, case when n % 3 = 0 then :name else 'another' end,
          case when n % 3 = 0 then run_id else 'run_other' end, 'call', case when n % 3 = 0 then 'run_other' else run_id end, 1, at from made where ${some(12, 6_000)}`,
  `insert into waits (wait_id, kind, state, run_id, job_id, agent_id, agent_name, skill, asked_of, prompt, request, expires_at, resolved_at, created_at)
   select 'wait_' || :key || n, 'question', 'answered', run_id, 'job_' || :key || n, :agent, :name, skill, coalesce(caller, :owner), 'Go on?', ${skip}, at, at, at
   from made where durable and n % 10 = 1`,
  `insert into skill_prices (price_id, agent_id, skill, version, call_micros, second_micros, token_micros, artifact_micros, max_micros, free_calls, valid_from, created_at)
   select 'prc_' || :key || k, :agent, 'skill-' || k, 1, 1000, 0, 0, 0, 1000, 0, now() - interval '400 days', now() - interval '400 days' from generate_series(0, 3) k`,
  `insert into charges (charge_id, run_id, receipt_id, agent_id, skill, price_id, creator_id, payer_id, state, free, held_micros, amount_micros, creator_micros, fee_micros, units, started_at, ended_at, cap_ids)
   select 'chg_' || :key || n, run_id, 'rcp_' || :key || lpad(n::text, 9, '0'), :agent, skill, 'prc_' || :key || right(skill, 1), :owner, caller, 'settled', false, 1000, 1000, 900, 100,
          '{"calls": 1}', at, at, '{}' from made where status = 'ok' and caller <> :owner and right(skill, 1) in ('0', '1', '2', '3')`,
  `insert into review_runs (review_id, agent_id, deploy_id, state, findings, created_at, ended_at)
   select 'rev_' || deploy_id, agent_id, deploy_id, 'passed', '[]', created_at, created_at from deployments where agent_id = :agent`,
  `insert into agent_findings (finding_id, agent_id, deploy_id, source, hash, severity, rule, skill, title, message, confirmed, state, answer, answered_at, created_at)
   select 'fnd_' || :key || lpad(n::text, 9, '0'), :agent, 'dep_' || :key || '_' || version, 'review_loop', md5(n::text), (array['info', 'info', 'warning'])[1 + n % 3], 'rule', skill, 'A finding', '', true,
          'answered', 'accepted', at, at from made where ${some(13, 200)}`,
  `insert into agent_proofs (proof_id, agent_id, agent_name, owner_id, run_by, published, deploy_id, version, skill_name, args, input_sha256, args_case, properties, deadline_at, deadline_seconds,
                             budget_micros, run_id, receipt_id, status, has_result, checks, events, file_ops, card_hash, elapsed_ms, proof_sha256, token, created_at, ended_at)
   select 'prf_' || :key || lpad(n::text, 9, '0'), :agent, :name, coalesce(caller, :owner), case when caller = :owner then 'owner' else 'caller' end, caller = :owner, 'dep_' || :key || '_' || version,
          '1.' || version || '.0', skill, ${skip}, repeat('0', 64), 'example', '[]', at, 60, 0, run_id, 'rcp_' || :key || lpad(n::text, 9, '0'), 'passed', false, '[]', '[]', '[]', repeat('0', 64), ms,
          repeat('0', 64), repeat('t', 900), at, at from made where ${some(14, 1_000)} and status = 'ok' and caller is not null`,
  `insert into evaluations (evaluation_id, agent_id, dataset, deploy_id, version, created_by, state, created_at, ended_at)
   select 'evl_' || :key || lpad(n::text, 9, '0'), :agent, 'cases', 'dep_' || :key || '_' || version, '1.' || version || '.0', :owner, 'succeeded', at, at from made where ${some(15, 50)}`,
  `insert into evaluation_results (evaluation_id, item_id, skill, args, has_expected, state, passed)
   select evaluation_id, 'item_' || k, 'skill-0', ${skip}, false, 'done', k % 10 <> 0 from evaluations, generate_series(1, 20) k where agent_id = :agent`,
] as const;
