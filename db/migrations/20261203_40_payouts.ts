import type { Knex } from 'knex';

/** What creators are paid: which money funded which charge, lines, runs, transfers. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table ledger_accounts drop constraint ledger_accounts_kind_check, add constraint ledger_accounts_kind_check
      check (kind in ('wallet', 'earnings', 'fees', 'funding', 'promotion', 'escrow', 'losses', 'payouts'));
    alter table ledger_transactions drop constraint ledger_transactions_kind_check, add constraint ledger_transactions_kind_check
      check (kind in ('top_up', 'promotion', 'charge', 'escrow', 'reversal', 'refund', 'restore', 'recovery', 'payout'));

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

    -- The account of a creator at the payment processor.
    create table payout_accounts (
      user_id           text primary key references users,
      -- null: it is being made
      processor_id      text unique,
      details_submitted boolean not null,
      payouts_enabled   boolean not null,
      requirements      text[] not null,
      disabled_reason   text,
      created_at        timestamptz not null,
      checked_at        timestamptz not null
    );

    create table payout_runs (
      run_id       text primary key,
      -- What it was asked for with: the same key is one run.
      key          text not null unique,
      state        text not null check (state in ('running', 'ended')),
      -- null: every creator
      creator_id   text,
      requested_by text,
      created_at   timestamptz not null,
      ended_at     timestamptz,
      check ((state = 'ended') = (ended_at is not null))
    );
    create unique index payout_runs_one on payout_runs ((true)) where state = 'running';
    create index payout_runs_newest on payout_runs (created_at desc, run_id desc);

    -- What one run pays one creator.
    create table payout_transfers (
      transfer_id    text primary key,
      run_id         text not null references payout_runs,
      creator_id     text not null,
      destination    text not null,
      state          text not null check (state in ('pending', 'paid', 'failed')),
      lines          bigint not null,
      lines_micros   bigint not null check (lines_micros > 0),
      -- Whole cents of lines_micros. What is left is a line of the next run.
      amount_micros  bigint not null check (amount_micros between 10000 and lines_micros and amount_micros % 10000 = 0),
      processor_id   text,
      -- Why it failed: {"code", "message"}.
      error          jsonb,
      -- Signed. null: not paid, or not signed yet
      statement      text,
      root_sha256    text,
      created_at     timestamptz not null,
      -- Of the first request to the processor.
      sent_at        timestamptz,
      ended_at       timestamptz,
      unique (run_id, creator_id),
      check ((state = 'pending') = (ended_at is null)),
      check ((state = 'failed') = (error is not null)),
      check ((state = 'paid') <= (processor_id is not null)),
      check ((statement is null) = (root_sha256 is null))
    );
    create index payout_transfers_creator on payout_transfers (creator_id, created_at desc, transfer_id desc);
    create index payout_transfers_pending on payout_transfers (run_id, transfer_id) where state = 'pending' or (state = 'paid' and statement is null);

    create table payout_lines (
      line_id         text primary key,
      kind            text not null check (kind in ('receipt', 'bounty', 'adjustment', 'carry')),
      state           text not null check (state in ('accrued', 'held', 'owed', 'in_run', 'paid', 'failed', 'cancelled')),
      creator_id      text not null,
      -- What it is of: once.
      charge_id       text unique,
      bounty_id       text unique,
      of_line_id      text references payout_lines,
      -- The spend that it follows from. null: a carry
      account_id      text,
      spend_version   bigint,
      agent_id        text,
      agent_name      text,
      skill           text,
      price_version   int,
      receipt_id      text,
      receipt_sha256  text,
      -- What the payer was charged, and what of it is the creator's.
      charged_micros  bigint not null,
      creator_micros  bigint not null,
      -- Of charged_micros: paid with money that was received.
      received_micros bigint not null,
      -- What the creator gets: below zero for adjustments alone.
      amount_micros   bigint not null,
      reason          text check (reason in ('not_ok', 'reversed', 'restored', 'rounding')),
      -- Written before its row: a run moves all lines of a creator in one statement.
      transfer_id     text references payout_transfers deferrable initially deferred,
      -- Of the charge's end.
      at              timestamptz not null,
      hold_until      timestamptz,
      created_at      timestamptz not null,
      check ((state in ('in_run', 'paid')) <= (transfer_id is not null)),
      check ((kind = 'receipt') = (charge_id is not null)),
      check ((kind = 'bounty') = (bounty_id is not null)),
      check ((kind = 'adjustment') = (of_line_id is not null)),
      check (kind = 'adjustment' or amount_micros >= 0)
    );
    create unique index payout_lines_spend on payout_lines (account_id, spend_version) where kind in ('receipt', 'bounty');
    create index payout_lines_of on payout_lines (of_line_id) where of_line_id is not null;
    create index payout_lines_accrued on payout_lines (line_id) where state = 'accrued';
    create index payout_lines_held on payout_lines (hold_until) where state = 'held';
    create index payout_lines_open on payout_lines (creator_id, state) include (amount_micros) where state in ('accrued', 'held', 'owed', 'failed', 'in_run');
    create index payout_lines_creator on payout_lines (creator_id, agent_id);
    create index payout_lines_transfer on payout_lines (transfer_id, at, line_id) where transfer_id is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table payout_lines, payout_transfers, payout_runs, payout_accounts, payout_losses_read, payout_allocations, payout_spends, payout_lots, payout_places;
    alter table ledger_transactions drop constraint ledger_transactions_kind_check, add constraint ledger_transactions_kind_check
      check (kind in ('top_up', 'promotion', 'charge', 'escrow', 'reversal', 'refund', 'restore', 'recovery'));
    alter table ledger_accounts drop constraint ledger_accounts_kind_check, add constraint ledger_accounts_kind_check
      check (kind in ('wallet', 'earnings', 'fees', 'funding', 'promotion', 'escrow', 'losses'));
  `);
}
