// Ways to language models, what they cost, and what may be spent.
import type { Part } from '../../parts.ts';

export const models: Part = {
  up: `
    -- A person's way to a language model. Create replaces by name; the id and what was spent under it stay.
    create table llm_credentials (
      credential_id           text primary key,
      user_id                 text not null references users,
      name                    text not null,
      provider                text not null,
      protocol                text not null check (protocol in ('openai', 'anthropic')),
      base_url                text not null,
      model                   text not null,
      -- null: the endpoint asks for none.
      key_sealed              text,
      -- Its last characters, to tell keys apart; empty for short ones.
      key_hint                text not null default '' check (length(key_hint) <= 4),
      is_default              boolean not null default false,
      -- Micro-dollars in a calendar month (UTC); null: no bound.
      monthly_budget_micros   bigint check (monthly_budget_micros >= 0),
      -- The owner's own prices; null: those of the catalog.
      prices                  jsonb,
      check_state             text not null default 'unchecked',
      check_message           text,
      checked_at              timestamptz,
      created_at              timestamptz not null default now(),
      updated_at              timestamptz not null default now(),
      -- What one run of somebody else's agent may spend when the credential's owner calls it; null: nothing.
      agent_run_budget_micros bigint check (agent_run_budget_micros >= 0),
      unique (user_id, name),
      check ((check_state = 'unchecked') = (checked_at is null))
    );
    create unique index llm_credentials_default on llm_credentials (user_id) where is_default;

    -- What a credential has cost in a month, and what calls under way may still cost: reserved before, settled after.
    create table llm_spending (
      credential_id   text not null references llm_credentials on delete cascade,
      -- 2026-11
      month           text not null,
      spent_micros    bigint not null default 0 check (spent_micros >= 0),
      reserved_micros bigint not null default 0 check (reserved_micros >= 0),
      primary key (credential_id, month)
    );

    -- Every use, also of credentials that are gone.
    create table llm_usage (
      usage_id            text primary key,
      user_id             text not null references users,
      credential_id       text not null,
      credential          text not null,
      provider            text not null,
      model               text not null,
      purpose             text not null,
      agent_name          text,
      run_id              text,
      thread_id           text,
      state               text not null default 'running' check (state in ('running', 'ok', 'failed', 'cancelled', 'lost')),
      error_code          text,
      input_tokens        bigint not null default 0,
      cached_input_tokens bigint not null default 0,
      output_tokens       bigint not null default 0,
      -- The endpoint did not say: counted by us from the texts.
      estimated           boolean not null default false,
      reserved_micros     bigint not null default 0,
      -- null: no price is known.
      cost_micros         bigint,
      -- 2026-11-22
      day                 text not null,
      started_at          timestamptz not null,
      ended_at            timestamptz,
      -- Who called the agent, and under which caps it was counted.
      person_id           text,
      cap_ids             text[] not null default '{}',
      -- The span of the agent in which it asked the model; null: that of its run.
      parent_span_id      text,
      counted             boolean not null default false,
      check ((state = 'running') = (ended_at is null))
    );
    create index llm_usage_user on llm_usage (user_id, started_at desc, usage_id desc);
    create index llm_usage_day on llm_usage (user_id, day);
    create index llm_usage_running on llm_usage (started_at) where ended_at is null;
    -- Sums over all accounts read the days of a period alone.
    create index llm_usage_all_days on llm_usage (day);
    create index llm_usage_run on llm_usage (run_id) where run_id is not null;
    create index llm_usage_to_count on llm_usage (usage_id) where ended_at is not null and not counted;
    create index llm_usage_agent on llm_usage (agent_name, started_at desc, usage_id desc) where agent_name is not null;
    create index llm_usage_agent_user on llm_usage (agent_name, user_id, started_at desc, usage_id desc) where agent_name is not null;

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
  `,
  down: `
    drop table llm_rates, llm_caps, llm_usage, llm_spending, llm_credentials;
  `,
};
