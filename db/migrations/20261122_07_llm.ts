import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A person's way to a language model. Create replaces by name; the id and what was spent under it stay.
    create table llm_credentials (
      credential_id  text primary key,
      user_id        text not null references users,
      name           text not null,
      provider       text not null,
      protocol       text not null check (protocol in ('openai', 'anthropic')),
      base_url       text not null,
      model          text not null,
      -- null: the endpoint asks for none.
      key_sealed     text,
      -- Its last characters, to tell keys apart; empty for short ones.
      key_hint       text not null default '' check (length(key_hint) <= 4),
      is_default     boolean not null default false,
      -- Micro-dollars in a calendar month (UTC); null: no bound.
      monthly_budget_micros bigint check (monthly_budget_micros >= 0),
      -- The owner's own prices; null: those of the catalog.
      prices         jsonb,
      check_state    text not null default 'unchecked',
      check_message  text,
      checked_at     timestamptz,
      created_at     timestamptz not null default now(),
      updated_at     timestamptz not null default now(),
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
      check ((state = 'running') = (ended_at is null))
    );
    create index llm_usage_user on llm_usage (user_id, started_at desc, usage_id desc);
    create index llm_usage_day on llm_usage (user_id, day);
    create index llm_usage_running on llm_usage (started_at) where ended_at is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table llm_usage, llm_spending, llm_credentials');
}
