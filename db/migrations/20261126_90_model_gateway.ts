import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- What one run of somebody else's agent may spend when the credential's owner calls it; null: nothing.
    alter table llm_credentials add column agent_run_budget_micros bigint check (agent_run_budget_micros >= 0);

    -- What a run, or a model grant, may spend: counted as llm_spending is.
    create table llm_caps (
      -- the run's or the grant's id
      cap_id          text primary key,
      user_id         text not null references users,
      limit_micros    bigint not null check (limit_micros >= 0),
      spent_micros    bigint not null default 0 check (spent_micros >= 0),
      reserved_micros bigint not null default 0 check (reserved_micros >= 0),
      created_at      timestamptz not null
    );
    create index llm_caps_user on llm_caps (user_id);
    create index llm_caps_created on llm_caps (created_at);

    -- Requests and tokens in the present minute, of one agent and payer, or of one model grant.
    create table llm_rates (
      rate_id  text primary key,
      -- minutes since the epoch
      minute   bigint not null,
      requests integer not null,
      tokens   bigint not null
    );
    create index llm_rates_minute on llm_rates (minute);

    -- Keys by which an agent uses its caller's model during a run.
    create table llm_grants (
      grant_id            text primary key,
      key_hash            text not null unique,
      user_id             text not null references users,
      agent_id            text not null references agents,
      run_id              text not null,
      -- what the run credential says
      run                 jsonb not null,
      -- null: those that the agent declares
      models              text[],
      budget_micros       bigint not null check (budget_micros >= 0),
      requests_per_minute integer not null,
      tokens_per_minute   integer not null,
      created_at          timestamptz not null,
      expires_at          timestamptz not null
    );
    create index llm_grants_user on llm_grants (user_id);
    create index llm_grants_agent on llm_grants (agent_id);
    create index llm_grants_expired on llm_grants (expires_at);

    -- Who called the agent, and under which caps it was counted.
    alter table llm_usage add column person_id text, add column cap_ids text[] not null default '{}';
    -- The first run of the chain of calls that a run belongs to; null: itself.
    alter table runs add column root_run_id text;
    create index llm_usage_run on llm_usage (run_id) where run_id is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index llm_usage_run;
    alter table runs drop column root_run_id;
    alter table llm_usage drop column person_id, drop column cap_ids;
    drop table llm_grants, llm_rates, llm_caps;
    alter table llm_credentials drop column agent_run_budget_micros;
  `);
}
