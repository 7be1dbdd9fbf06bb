// The processor that an installation has when it has no other: test money, kept in tables of its own.
import type { Part } from '../../parts.ts';

export const testMoney: Part = {
  up: `
    create table test_money_objects (
      object_id  text primary key,
      kind       text not null check (kind in ('customer', 'checkout', 'payment', 'subscription', 'invoice', 'portal', 'account', 'transfer')),
      -- Of the account that it is of.
      owner_id   text not null,
      data       jsonb not null,
      created_at timestamptz not null
    );
    create index test_money_objects_owner on test_money_objects (owner_id, kind, created_at);
    create index test_money_objects_subscription on test_money_objects (created_at) where kind = 'subscription' and data->>'state' <> 'cancelled';

    -- Answers of writes, by their keys.
    create table test_money_requests (
      key        text primary key,
      sha256     text not null,
      answer     jsonb not null,
      created_at timestamptz not null
    );
    create index test_money_requests_created on test_money_requests (created_at);

    create table test_money_events (
      event_id     text primary key,
      type         text not null,
      subject_kind text not null,
      subject_id   text not null,
      created_at   timestamptz not null,
      attempts     int not null default 0,
      -- null: it is delivered
      next_at      timestamptz
    );
    create index test_money_events_next on test_money_events (next_at) where next_at is not null;
    create index test_money_events_created on test_money_events (created_at);
  `,
  down: `
    drop table test_money_events, test_money_requests, test_money_objects;
  `,
};
