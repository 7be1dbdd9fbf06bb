// Which money funded which charge: what came into a wallet pays what went out, first in, first out.
import type { Part } from '../../parts.ts';

export const payoutBooks: Part = {
  up: `
    -- Up to which entry an account of the ledger has been read.
    create table payout_places (
      account_id text primary key references ledger_accounts,
      version    bigint not null
    );

    -- What came into a wallet, by entry. First in, first out; of one lot, money that was received goes first.
    create table payout_lots (
      account_id     text not null references ledger_accounts,
      version        bigint not null,
      transaction_id text not null references ledger_transactions,
      -- Not spent yet: received from outside, and anything else (gifts, money that was taken back).
      received_left  bigint not null check (received_left >= 0),
      other_left     bigint not null check (other_left >= 0),
      -- Of other_left: was received, and was taken back.
      lost_left      bigint not null default 0 check (lost_left between 0 and other_left),
      primary key (account_id, version)
    );
    create index payout_lots_open on payout_lots (account_id, version) where received_left + other_left > 0;
    create index payout_lots_transaction on payout_lots (transaction_id);

    -- What went out of a wallet, by entry.
    create table payout_spends (
      account_id      text not null references ledger_accounts,
      version         bigint not null,
      transaction_id  text not null references ledger_transactions,
      kind            text not null check (kind in ('charge', 'reward', 'other')),
      -- A charge's or a bounty's; null: another.
      subject_id      text,
      amount_micros   bigint not null check (amount_micros > 0),
      -- Of it: paid with money that was received.
      received_micros bigint not null check (received_micros between 0 and amount_micros),
      -- Its line is not up to date.
      changed         boolean not null,
      primary key (account_id, version)
    );
    create index payout_spends_transaction on payout_spends (transaction_id);
    create index payout_spends_changed on payout_spends (account_id, version) where changed;
    create index payout_spends_reward on payout_spends (subject_id) where kind = 'reward';

    -- Which lot paid which part of a spend.
    create table payout_allocations (
      account_id      text not null,
      spend_version   bigint not null,
      lot_version     bigint not null,
      received_micros bigint not null check (received_micros >= 0),
      other_micros    bigint not null check (other_micros >= 0),
      -- Of other_micros: was received, and was taken back.
      lost_micros     bigint not null default 0 check (lost_micros between 0 and other_micros),
      primary key (account_id, spend_version, lot_version),
      foreign key (account_id, spend_version) references payout_spends,
      foreign key (account_id, lot_version) references payout_lots
    );
    create index payout_allocations_lot on payout_allocations (account_id, lot_version, spend_version);
    create index payout_allocations_lost on payout_allocations (account_id, spend_version) where lost_micros > 0;

    -- Entries of the account losses that were read out of turn: what paid them came first.
    create table payout_losses_read (
      account_id text not null references ledger_accounts,
      version    bigint not null,
      primary key (account_id, version)
    );
  `,
  down: `
    drop table payout_losses_read, payout_allocations, payout_spends, payout_lots, payout_places;
  `,
};
