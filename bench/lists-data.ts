// Rows for the list benchmark, made inside PostgreSQL: an account with a thousand agents among many others',
// and all its history.
import type { Knex } from 'knex';
import { ACCOUNT } from './api-part.ts';

export const JOB_ID = 'job_00000000-0000-7000-8000-000000000001';
/** Of that job. */
export const DEPLOY_ID = 'dep_00000000-0000-7000-8000-000000000001';

/**
 * `db` has one connection: its rows are not compared with what they refer to, and indexes are made at the
 * end. Either takes most of the time.
 */
export async function fillLists(db: Knex, rows: number): Promise<void> {
  await db.raw(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
  const indexes = await takeIndexes(db);
  await fillAgents(db, rows);
  await fillAccess(db, rows);
  await fillUpkeep(db, rows);
  await fillRuns(db, rows);
  await fillStudio(db, rows);
  for (const { definition } of indexes) await db.raw(definition.replaceAll('?', String.raw`\?`));
  await db.raw('vacuum analyze');
}

/** Drops all but those of constraints. */
async function takeIndexes(db: Knex): Promise<{ definition: string }[]> {
  const { rows } = await db.raw<{ rows: { name: string; definition: string }[] }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = i.indexrelid)`,
  );
  await db.raw(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  return rows;
}

/** The agents of one account and of others, what ran on them, and the words of search. */
async function fillAgents(db: Knex, rows: number): Promise<void> {
  const owner = ACCOUNT.user_id;
  await db.raw(
    // Addresses and ids in different orders: 7919 is prime.
    `insert into users (user_id, issuer, subject, email)
     select 'usr_' || n, 'bench', 'other-' || n, 'other-' || n * 7919 % :rows || '@svc.local' from generate_series(1, :rows::bigint) n`,
    { rows },
  );
  // The first half of a thousand is the account's; every tenth is public and live, and every twentieth of
  // those in one sector.
  await db.raw(
    `insert into agents (agent_id, name, owner_id, kind, description, tags, skills, visibility, call_count, live_deploy_id, search_text)
     select 'agt_' || n, 'agent-' || n, case when n <= 500 then ? else 'usr_' || (1 + n % 1000) end, 'hosted', 'Agent number ' || n,
            array['demo', 'tag-' || (n % 97)], '{greet}', case when n % 10 = 0 then 'public' else 'unlisted' end, n % 5000,
            case when n % 10 = 0 then 'dep_' || n / 10 end, 'agent-' || n || ' agent number ' || n || ' greet demo sector' || (n / 10) % 20
     from generate_series(1, ?) n`,
    [owner, rows],
  );
  await db.raw(
    `insert into jobs (job_id, kind, state, title, owner_id, agent_id, agent_name, ended_at, created_at)
     select 'job_' || lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000001', 'run', 'succeeded', 'Run ' || n, ?, 'agt_' || (1 + n % 500), 'agent-' || (1 + n % 500),
            now(), now() - n * interval '1 second' from generate_series(0, ?) n`,
    [owner, rows],
  );
  await db.raw(`insert into job_events (job_id, seq, kind, payload) select ?, n, 'log', '{"text":"a line of the log"}' from generate_series(1, ?) n`, [
    JOB_ID,
    rows,
  ]);
  await db.raw(
    `insert into deployments (deploy_id, agent_id, number, state, job_id, created_by, entrypoint, manifest, source_key, source_sha256, source_bytes)
     select 'dep_' || n, 'agt_' || (n * 10), 1, 'live', 'job_' || lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000001', ?, 'agent:A', '{}', 'k', repeat('0', 64), 1
     from generate_series(1, ?) n`,
    [owner, Math.floor(rows / 10)],
  );
  await db.raw(
    `insert into receipts (receipt_id, agent_id, seq, source, kid, token, payload, payload_sha256, skill, status, caller_kind, caller_id, caller_user_id, started_at, ended_at, duration_ms, created_at)
     select 'rcp_' || n, 'agt_1', n, 'platform', 'k', 't', '{}', repeat('0', 64), 'greet', 'ok', 'user', ?, ?, now(), now(), 1, now() - n * interval '1 second' from generate_series(1, ?) n`,
    [owner, owner, rows],
  );
  await db.raw(
    `insert into search_words select 'number' union select translate(left(md5(n::text), 9), '0123456789', 'ghijklmnop') from generate_series(1, ?) n on conflict do nothing`,
    [Math.floor(rows / 5)],
  );
}

/**
 * One agent's deployments, reviews, repairs and mail, and a connection and a mailbox of each of its
 * neighbours.
 */
async function fillUpkeep(db: Knex, rows: number): Promise<void> {
  const owner = ACCOUNT.user_id;
  // The first one's job has the long log; those of the others are the jobs that no live deployment has.
  const taken = Math.floor(rows / 10);
  await db.raw(
    `insert into deployments (deploy_id, agent_id, number, state, job_id, created_by, entrypoint, manifest, source_key, source_sha256, source_bytes)
     select ${deployOf('n')}, 'agt_1', n, 'superseded', ${jobOf(`case when n = 1 then 0 else ${taken} + n end`)}, :owner, 'agent:A', '{}', 'k', repeat('0', 64), 1
     from generate_series(1, :most) n`,
    { owner, most: rows - taken },
  );
  await db.raw(`update jobs set last_seq = ? where job_id = ?`, [rows, JOB_ID]);
  await db.raw(
    `insert into review_runs (review_id, agent_id, deploy_id, state, summary, created_at)
     select 'rev_' || n, 'agt_1', ${deployOf('n')}, 'passed', 'Nothing to mend', now() - n * interval '1 hour' from generate_series(1, ?) n`,
    [rows - taken],
  );
  await db.raw(
    `insert into agent_repairs (repair_id, agent_id, deploy_id, state, policy, error, source_sha256, created_at, ended_at)
     select 'rep_' || n, 'agt_1', ${deployOf('n')}, 'healed', '{}', '{"code":"x","message":"y"}', repeat('0', 64), now() - n * interval '1 hour', now() from generate_series(1, ?) n`,
    [rows - taken],
  );
  await db.raw(
    `insert into mailboxes (mailbox_id, agent_id, address, state)
     select 'mbx_' || n, 'agt_' || n, 'agent-' || n || '@agents.example', 'ready' from generate_series(1, ?) n`,
    [rows],
  );
  await db.raw(
    `insert into mailbox_events (event_id, mailbox_id, kind, at)
     select 'mev_' || n, 'mbx_1', 'mail_received', now() - n * interval '1 hour' from generate_series(1, ?) n`,
    [rows],
  );
  await db.raw(
    `insert into agent_connections (agent_id, kind, scheme_name, facts, sealed)
     select ${neighbour(20, rows)}, 'bearer', 'scheme-' || n, '{"location":null,"name":null,"scheme":"Bearer","token_url":null,"client_id":null,"refreshes":false}', 'sealed'
     from generate_series(1, ?) n`,
    [rows],
  );
  await db.raw(
    `insert into installed_agents (user_id, agent_id) select case when n <= 200 then ? else 'usr_' || n end, 'agt_' || n from generate_series(1, ?) n`,
    [owner, rows],
  );
}

const deployOf = (n: string): string => `'dep_00000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0')`;
const jobOf = (n: string): string => `'job_' || lpad(to_hex(${n}), 8, '0') || '-0000-7000-8000-000000000001'`;

/** The account's agent has as many as one may have, its neighbours all others. */
const neighbour = (most: number, rows: number): string => `'agt_' || case when n <= ${most} then 1 else 2 + n % ${rows - 1} end`;

/** Instances of what is live, runs and free calls: half of the account's, the others of many. */
async function fillRuns(db: Knex, rows: number): Promise<void> {
  const owner = ACCOUNT.user_id;
  await db.raw(
    `insert into instances (instance_id, deploy_id, agent_id, node, state, api_key_sealed)
     select 'ins_' || n, 'dep_' || n, 'agt_' || n * 10, 'node-1', 'serving', 'sealed' from generate_series(1, ?) n`,
    [Math.floor(rows / 10)],
  );
  await db.raw(
    `insert into runs (run_id, agent_id, agent_name, deploy_id, skill, user_id, caller_kind, state, started_at, ended_at)
     select 'run_' || n, 'agt_10', 'agent-10', 'dep_1', 'greet', case when n % 2 = 0 then :owner else 'usr_' || n end, 'user', 'succeeded',
            now() - n * interval '1 second', now() from generate_series(1, :rows) n`,
    { owner, rows },
  );
  await db.raw(
    `insert into account_access (user_id, agent_id, used) select case when n % 2 = 0 then ? else 'usr_' || n end, 'agt_' || n, 1 from generate_series(1, ?) n`,
    [owner, rows],
  );
  await db.raw(
    `insert into llm_credentials (credential_id, user_id, name, provider, protocol, base_url, model, is_default)
     select 'crd_' || n, case when n = 1 then ? else 'usr_' || n end, 'work', 'openai', 'openai', 'https://models.example', 'm', true from generate_series(1, ?) n`,
    [owner, rows],
  );
}

/** Simulations and comparisons, half of them the account's, and open bounties. */
async function fillStudio(db: Knex, rows: number): Promise<void> {
  const owner = ACCOUNT.user_id;
  await db.raw(
    `insert into kernel_runs (job_id, owner_id, kind, world, execution_mode, seed, engine, spec, total, deadline_at, created_at)
     select 'job_' || lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000001', case when n % 4 < 2 then :owner else 'usr_' || n end,
            case when n % 2 = 0 then 'simulation' else 'evolution' end, 'market', 'bounded', n, 'bench', '{}', 10, now(), now() - n * interval '1 second' from generate_series(1, :rows::int) n`,
    { owner, rows },
  );
  await db.raw(
    `insert into bounties (bounty_id, slug, poster_id, title, description, tags, reward_micros, require_proof, state, created_at)
     select 'bty_' || n, 'bounty-' || n, case when n % 2 = 0 then :owner else 'usr_' || n end, 'Bounty ' || n, 'What is wanted', array['tag-' || n % 97], 0, false, 'open',
            now() - n * interval '1 second' from generate_series(1, :rows::int) n`,
    { owner, rows },
  );
}

/**
 * Tokens, links, domains, secrets, memories and flags: as many of one agent as it may have, and all others of
 * its neighbours.
 */
async function fillAccess(db: Knex, rows: number): Promise<void> {
  const owner = ACCOUNT.user_id;
  for (const [prefix, placement] of [
    ['token', null],
    ['link', 'header'],
  ])
    await db.raw(
      `insert into platform_tokens (token_id, token_hash, kind, user_id, agent_id, label, expires_at, placement)
       select :prefix || n, :prefix || n, 'agent_api', :owner, ${neighbour(50, rows)}, 'nightly', now() + interval '30 days', :placement from generate_series(1, :rows) n`,
      { prefix, placement, owner, rows },
    );
  await db.raw(
    `insert into agent_domains (domain_id, agent_id, hostname, state, nonce, prove_until)
     select 'dom_' || n, ${neighbour(50, rows)}, 'shop-' || n || '.example.org', 'active', 'nonce', now() from generate_series(1, ?) n`,
    [rows],
  );
  await db.raw(
    `insert into domain_certificates (certificate_id, domain_id, state, key_sealed, chain, renew_at, not_after)
     select 'crt_' || n, 'dom_' || n, 'issued', 'sealed', 'chain', now() + interval '60 days', now() + interval '90 days' from generate_series(1, ?) n`,
    [rows],
  );
  await db.raw(`insert into agent_secrets (agent_id, name, value_sealed) select ${neighbour(50, rows)}, 'KEY_' || n, 'sealed' from generate_series(1, ?) n`, [
    rows,
  ]);
  await db.raw(
    `insert into agent_memories (agent_id, user_id, namespace, key, value, size_bytes, search_text)
     select ${neighbour(500, rows)}, ?, 'facts', 'key-' || n, '"x"', 3, 'colour ' || n from generate_series(1, ?) n`,
    [owner, rows],
  );
  await db.raw(
    `insert into feature_flags (flag_key, type, default_value) select 'flag-' || n, 'boolean', 'false' from generate_series(1, 20) n;
     insert into feature_flag_overrides (user_id, flag_key, value) select 'usr_' || n, 'flag-' || (1 + n % 20), 'true' from generate_series(1, ${rows}) n;
     update feature_flags f set overrides = (select count(*) from feature_flag_overrides o where o.flag_key = f.flag_key)`,
  );
}
