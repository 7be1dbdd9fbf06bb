// What skills cost, and what calls of them did.
import type { Part } from '../../parts.ts';

export const charges: Part = {
  up: `
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
      -- Ids of llm_caps under which held_micros is reserved.
      cap_ids        text[] not null default '{}',
      -- Who called, where a person did.
      person_id      text,
      counted        boolean not null default false,
      check ((state = 'held') = (ended_at is null)),
      check ((state = 'settled') = (amount_micros is not null)),
      check (amount_micros = creator_micros + fee_micros)
    );
    create index charges_payer on charges (payer_id, started_at desc, charge_id desc);
    create index charges_creator on charges (creator_id, ended_at) where state = 'settled';
    create index charges_agent on charges (agent_id, started_at desc);
    create index charges_held on charges (started_at) where state = 'held';
    create index charges_to_count on charges (agent_id, charge_id) where state = 'settled' and not counted;

    -- Calls of free trials: one counts when it begins, however it ends.
    create table free_calls (
      payer_id text not null,
      agent_id text not null references agents,
      skill    text not null,
      used     int not null check (used > 0),
      primary key (payer_id, agent_id, skill)
    );
    create index free_calls_agent on free_calls (agent_id);

    -- By the price that is valid now; null where there is none. Otherwise that price, with whether the call is a free one.
    create function charge_begin(
      p_charge text, p_run text, p_agent text, p_skill text, p_creator text, p_payer text, p_person text, p_wallet text, p_hold text, p_at timestamptz, p_expires timestamptz
    ) returns jsonb language plpgsql as $$
    declare
      price skill_prices;
      is_free boolean := false;
    begin
      select * into price from skill_prices where agent_id = p_agent and skill = p_skill and valid_until is null;
      if not found then return null; end if;
      if price.free_calls > 0 then
        insert into free_calls (payer_id, agent_id, skill, used) values (p_payer, p_agent, p_skill, 1)
          on conflict (payer_id, agent_id, skill) do update set used = free_calls.used + 1 where free_calls.used < price.free_calls;
        is_free := found;
      end if;
      insert into charges (charge_id, run_id, agent_id, skill, price_id, creator_id, payer_id, person_id, state, free, held_micros, started_at)
        values (p_charge, p_run, p_agent, p_skill, price.price_id, p_creator, p_payer, p_person, 'held', is_free, case when is_free then 0 else price.max_micros end, p_at);
      if not is_free then
        perform ledger_hold(p_hold, 'run:' || p_run, p_wallet, price.max_micros, p_at, p_expires);
      end if;
      return to_jsonb(price) || jsonb_build_object('free', is_free);
    end $$;

    -- Once: a charge that has ended is an error.
    create function charge_settle(
      p_charge text, p_receipt text, p_amount bigint, p_creator bigint, p_fee bigint, p_units jsonb, p_at timestamptz,
      p_transaction text, p_refs jsonb, p_accounts text[], p_amounts bigint[]
    ) returns void language plpgsql as $$
    declare
      ended charges;
    begin
      update charges set state = 'settled', receipt_id = p_receipt, amount_micros = p_amount, creator_micros = p_creator, fee_micros = p_fee, units = p_units, ended_at = p_at
        where charge_id = p_charge and state = 'held' returning * into strict ended;
      if p_amount > 0 then
        perform ledger_settle('run:' || ended.run_id, p_transaction, 'charge:' || p_charge, 'charge', p_refs, p_at, p_accounts, p_amounts);
      elsif not ended.free then
        perform ledger_end_hold('run:' || ended.run_id, 'released', p_at);
      end if;
    end $$;

    -- How many calls of an agent the platform has funded for an account.
    create table account_access (
      user_id    text not null references users on delete cascade,
      agent_id   text not null references agents on delete cascade,
      used       integer not null check (used >= 0),
      updated_at timestamptz not null default now(),
      primary key (user_id, agent_id)
    );
    create index account_access_agent on account_access (agent_id);
  `,
  down: `
    drop table account_access, free_calls, charges, skill_prices;
    drop function charge_settle, charge_begin;
  `,
};
