import type { Knex } from 'knex';

/** What skills cost, and what calls of them did. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table skill_prices (
      price_id        text primary key,
      agent_id        text not null references agents,
      skill           text not null,
      -- Of the skill, from 1. A version never changes: its end is set once, when the next one begins.
      version         int not null,
      call_micros     bigint not null check (call_micros >= 0),
      second_micros   bigint not null check (second_micros >= 0),
      token_micros    bigint not null check (token_micros >= 0),
      artifact_micros bigint not null check (artifact_micros >= 0),
      -- The most that one call costs: held before it starts.
      max_micros      bigint not null check (max_micros > 0),
      -- Of each account, before it pays.
      free_calls      int not null check (free_calls >= 0),
      valid_from      timestamptz not null,
      -- null: it is valid
      valid_until     timestamptz,
      created_at      timestamptz not null,
      unique (agent_id, skill, version)
    );
    create unique index skill_prices_valid on skill_prices (agent_id, skill) where valid_until is null;

    -- One for each call of a skill that has a price. Users and agents are ids that may lead to nobody: the books stay when an account is purged.
    create table charges (
      charge_id      text primary key,
      run_id         text not null unique,
      -- null: no receipt is sealed yet, or there was none
      receipt_id     text unique,
      agent_id       text not null,
      skill          text not null,
      price_id       text not null,
      -- Account that earns: the agent's owner when the call began.
      creator_id     text not null,
      payer_id       text not null,
      state          text not null check (state in ('held', 'settled', 'released')),
      -- A call of the free trial: nothing is held and nothing charged.
      free           boolean not null,
      held_micros    bigint not null check (held_micros >= 0),
      -- The next four are null until it is settled.
      amount_micros  bigint check (amount_micros between 0 and held_micros),
      creator_micros bigint,
      fee_micros     bigint,
      -- What was counted: {"calls", "seconds", "tokens", "artifacts"}.
      units          jsonb,
      started_at     timestamptz not null,
      -- Settled or released.
      ended_at       timestamptz,
      check ((state = 'held') = (ended_at is null)),
      check ((state = 'settled') = (amount_micros is not null)),
      check (amount_micros = creator_micros + fee_micros)
    );
    create index charges_payer on charges (payer_id, started_at desc, charge_id desc);
    create index charges_creator on charges (creator_id, ended_at) where state = 'settled';
    create index charges_agent on charges (agent_id, started_at desc);
    create index charges_held on charges (started_at) where state = 'held';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table charges, skill_prices');
}
