// Plans, subscriptions, top-ups and invoices: what the payment processor says, as it was last read there.
import type { Part } from '../../parts.ts';

export const billing: Part = {
  up: `
    create table plans (
      plan            text primary key check (plan ~ '^[a-z][a-z0-9-]{0,31}$'),
      name            text not null,
      description     text not null,
      -- Each month and seat, without taxes. 0: nothing is paid, so nothing is bought.
      price_cents     int not null check (price_cents >= 0),
      max_seats       int not null check (max_seats >= 1),
      -- Credits given with each paid month and seat.
      included_micros bigint not null check (included_micros >= 0),
      -- Settings of the installation that are other for accounts of this plan: {"agents_per_account": 10000}.
      limits          jsonb not null,
      position        int not null,
      -- It can be bought. Who has it keeps it.
      offered         boolean not null,
      version         int not null,
      updated_at      timestamptz not null default now(),
      updated_by      text
    );

    insert into plans (plan, name, description, price_cents, max_seats, included_micros, limits, position, offered, version) values
      ('free', 'Free', 'Everything, with the limits of the installation.', 0, 1, 0, '{}', 0, true, 0),
      ('pro', 'Pro', 'For one person with agents that others use.', 2000, 1, 10000000, '{"funded_calls_per_agent": 250, "schedules_per_account": 1000}', 1, true, 0),
      ('team', 'Team', 'For several people who run agents together.', 3000, 100, 15000000,
       '{"funded_calls_per_agent": 250, "schedules_per_account": 2000, "agents_per_account": 10000, "dev_boxes_per_account": 200}', 2, true, 0);

    create table payment_customers (
      user_id     text not null references users,
      processor   text not null check (processor in ('builtin', 'stripe')),
      customer_id text not null,
      created_at  timestamptz not null,
      primary key (user_id, processor),
      unique (processor, customer_id)
    );

    -- Users are ids that may lead to nobody, here and below: the books stay when an account is purged.
    create table top_ups (
      top_up_id       text primary key,
      user_id         text not null,
      processor       text not null check (processor in ('builtin', 'stripe')),
      state           text not null check (state in ('open', 'paid', 'expired')),
      -- What was asked for, without taxes.
      amount_cents    int not null check (amount_cents > 0),
      -- null: the processor has not answered yet
      checkout_id     text,
      checkout_url    text,
      payment_id      text,
      -- Put into the wallet, and taken back of it by refunds and disputes.
      credited_micros bigint not null default 0 check (credited_micros >= 0),
      taken_micros    bigint not null default 0 check (taken_micros between 0 and credited_micros),
      tax_cents       int not null default 0,
      disputed        boolean not null default false,
      -- Of what was read at the processor: who read before another wrote reads again.
      revision        int not null default 0,
      -- How often money moved: each is a transaction of its own.
      moves           int not null default 0,
      created_at      timestamptz not null,
      expires_at      timestamptz not null,
      checked_at      timestamptz,
      paid_at         timestamptz,
      check ((state = 'paid') = (paid_at is not null))
    );
    create index top_ups_user on top_ups (user_id, created_at desc, top_up_id desc);
    create unique index top_ups_checkout on top_ups (checkout_id);
    create unique index top_ups_payment on top_ups (payment_id);
    create index top_ups_open on top_ups (checked_at) where state = 'open';
    create index top_ups_paid on top_ups (paid_at) where state = 'paid';

    create table subscriptions (
      -- The processor's.
      subscription_id      text primary key,
      processor            text not null check (processor in ('builtin', 'stripe')),
      user_id              text not null,
      plan                 text not null,
      seats                int not null check (seats >= 1),
      state                text not null check (state in ('incomplete', 'active', 'past_due', 'cancelled')),
      cancel_at_period_end boolean not null,
      period_start         timestamptz not null,
      period_end           timestamptz not null,
      past_due_since       timestamptz,
      -- It has to end at the processor: unpaid for too long, or the account has another one.
      end_wanted           text check (end_wanted in ('unpaid', 'duplicate', 'purged')),
      revision             int not null,
      created_at           timestamptz not null,
      updated_at           timestamptz not null,
      ended_at             timestamptz,
      check ((state = 'past_due') = (past_due_since is not null)),
      check ((state = 'cancelled') = (ended_at is not null))
    );
    -- The plan of an account is that of its one live subscription.
    create unique index subscriptions_live on subscriptions (user_id) where state in ('active', 'past_due') and end_wanted is null;
    create index subscriptions_user on subscriptions (user_id, created_at desc);
    create index subscriptions_past_due on subscriptions (past_due_since) where state = 'past_due';
    create index subscriptions_end_wanted on subscriptions (updated_at) where end_wanted is not null and state <> 'cancelled';

    -- The checkout of a plan that is open now: one for each account.
    create table plan_checkouts (
      user_id      text primary key references users,
      checkout_key text not null unique,
      processor    text not null check (processor in ('builtin', 'stripe')),
      plan         text not null,
      plan_name    text not null,
      price_cents  int not null,
      seats        int not null,
      checkout_id  text,
      checkout_url text,
      created_at   timestamptz not null,
      expires_at   timestamptz not null,
      checked_at   timestamptz
    );
    create index plan_checkouts_created on plan_checkouts (created_at);

    create table invoices (
      -- The processor's; of usage, ours.
      invoice_id      text primary key,
      user_id         text not null,
      kind            text not null check (kind in ('subscription', 'usage')),
      subscription_id text,
      number          text,
      state           text not null check (state in ('open', 'paid', 'void', 'uncollectible')),
      amount_micros   bigint not null,
      tax_micros      bigint not null,
      paid_micros     bigint not null,
      -- [{"text", "quantity", "amount_micros"}]
      lines           jsonb not null,
      period_start    timestamptz not null,
      period_end      timestamptz not null,
      url             text,
      pdf_url         text,
      revision        int not null,
      created_at      timestamptz not null
    );
    create index invoices_user on invoices (user_id, created_at desc, invoice_id desc);
    create unique index invoices_usage on invoices (user_id, period_start) where kind = 'usage';
    create index invoices_created on invoices (created_at);

    -- Each event of the processor, in the transaction of its effect.
    create table processor_events (
      event_id   text primary key,
      processor  text not null check (processor in ('builtin', 'stripe')),
      type       text not null,
      subject    text,
      created_at timestamptz not null,
      taken_at   timestamptz not null
    );
    create index processor_events_taken on processor_events (taken_at);

    -- Mails about a subscription that is not paid: each step once, from the day on which it was not.
    create table dunning_steps (
      subscription_id text not null references subscriptions,
      since           timestamptz not null,
      step            int not null,
      claimed_at      timestamptz not null,
      -- null: it is being sent, or could not be
      sent_at         timestamptz,
      primary key (subscription_id, since, step)
    );
  `,
  down: `
    drop table dunning_steps, processor_events, invoices, plan_checkouts, subscriptions, top_ups, payment_customers, plans;
  `,
};
