// Counts of calls, models and wakes that insights read, and what finds the newest evidence of an agent without sorting all of it.
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Receipts of a time (UTC), by what is asked for. bucket: of the duration, contract/evidence/latency.ts.
    create table call_counts (
      agent_id    text not null references agents,
      grain       text not null check (grain = any (array['hour', 'day'])),
      since       timestamptz not null,
      skill       text not null,
      version     text not null,
      relation    text not null check (relation = any (array['owner', 'other', 'none'])),
      status      text not null check (status = any (array['ok', 'error', 'cancelled'])),
      error_code  text not null,
      bucket      integer not null,
      calls       bigint not null,
      duration_ms bigint not null,
      primary key (agent_id, grain, since, skill, version, relation, status, error_code, bucket)
    );
    -- Up to where an agent's chain of receipts is counted. Changed with the counts, in one transaction.
    create table call_count_places (
      agent_id text primary key references agents,
      seq      bigint not null
    );
    -- Skills and codes of failures are words of agents and callers: so many are counted by themselves.
    create table call_words (
      agent_id text not null references agents,
      kind     text not null check (kind = any (array['skill', 'code'])),
      word     text not null,
      primary key (agent_id, kind, word)
    );

    create table model_use_counts (
      agent_id            text not null references agents,
      grain               text not null check (grain = any (array['hour', 'day'])),
      since               timestamptz not null,
      relation            text not null check (relation = any (array['owner', 'other', 'none'])),
      model               text not null,
      uses                bigint not null,
      input_tokens        bigint not null,
      cached_input_tokens bigint not null,
      output_tokens       bigint not null,
      cost_micros         bigint not null,
      -- of uses without a price
      unpriced            bigint not null,
      primary key (agent_id, grain, since, relation, model)
    );
    alter table llm_usage add column counted boolean not null default false;
    create index llm_usage_to_count on llm_usage (usage_id) where ended_at is not null and not counted;
    create index llm_usage_agent on llm_usage (agent_name, started_at desc, usage_id desc) where agent_name is not null;

    create table wake_counts (
      agent_id text not null references agents,
      grain    text not null check (grain = any (array['hour', 'day'])),
      since    timestamptz not null,
      tier     text not null check (tier = any (array['paused', 'suspended', 'cold'])),
      bucket   integer not null,
      wakes    bigint not null,
      wake_ms  bigint not null,
      slept_ms bigint not null,
      primary key (agent_id, grain, since, tier, bucket)
    );
    -- The last of its wakes that is counted.
    alter table instances add column wakes_counted_to timestamptz;

    create index deployments_agent_time on deployments (agent_id, created_at desc, deploy_id desc);
    create index grants_audience on grants (audience, issued_at desc, grant_id desc);
    create index subagent_runs_agent on subagent_runs (agent_name, started_at desc, grant_id desc);
    create index subagent_runs_caller on subagent_runs (caller_agent, started_at desc, grant_id desc) where caller_agent is not null;
    create index agent_sessions_agent_time on agent_sessions (agent_id, started_at desc, session_id desc);
    drop index agent_sessions_agent;
    create index waits_agent_time on waits (agent_id, created_at desc, wait_id desc);
    drop index waits_agent;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    create index waits_agent on waits (agent_id);
    create index agent_sessions_agent on agent_sessions (agent_id);
    drop index waits_agent_time, agent_sessions_agent_time, subagent_runs_caller, subagent_runs_agent, grants_audience, deployments_agent_time;
    alter table instances drop column wakes_counted_to;
    drop table wake_counts;
    drop index llm_usage_agent, llm_usage_to_count;
    alter table llm_usage drop column counted;
    drop table model_use_counts, call_words, call_count_places, call_counts;
  `);
}
