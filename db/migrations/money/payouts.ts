// What creators are paid: accounts at the processor, lines, runs, transfers, and what happened to them afterwards.
import type { Part } from '../../parts.ts';

export const payouts: Part = {
  up: `
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
      checked_at        timestamptz not null,
      -- Of its writes: what was read before another wrote is not written.
      revision          int not null default 0,
      -- The newest payout from the processor to the creator's bank. null: none is known
      bank_payout_id    text,
      bank_state        text check (bank_state in ('on_its_way', 'paid', 'failed', 'cancelled')),
      -- In the smallest unit of the currency.
      bank_amount       bigint,
      bank_currency     text,
      -- Why the bank refused: {"code", "message"}.
      bank_failure      jsonb,
      bank_at           timestamptz,
      check (num_nulls(bank_payout_id, bank_state, bank_amount, bank_currency, bank_at) in (0, 5)),
      check (bank_failure is null or bank_state = 'failed')
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
      transfer_id     text primary key,
      run_id          text not null references payout_runs,
      creator_id      text not null,
      destination     text not null,
      state           text not null check (state in ('pending', 'paid', 'failed')),
      lines           bigint not null,
      lines_micros    bigint not null check (lines_micros > 0),
      -- Whole cents of lines_micros. What is left is a line of the next run.
      amount_micros   bigint not null check (amount_micros between 10000 and lines_micros and amount_micros % 10000 = 0),
      processor_id    text,
      -- Why it failed: {"code", "message"}.
      error           jsonb,
      -- Signed. null: not paid, or not signed yet
      statement       text,
      root_sha256     text,
      created_at      timestamptz not null,
      -- Of the first request to the processor.
      sent_at         timestamptz,
      ended_at        timestamptz,
      -- Of amount_micros: what came back from the processor, in whole cents. Only ever more.
      reversed_micros bigint not null default 0,
      unique (run_id, creator_id),
      check ((state = 'pending') = (ended_at is null)),
      check ((state = 'failed') = (error is not null)),
      check ((state = 'paid') <= (processor_id is not null)),
      check ((statement is null) = (root_sha256 is null)),
      check (reversed_micros between 0 and amount_micros and reversed_micros % 10000 = 0),
      check (reversed_micros = 0 or state = 'paid')
    );
    create index payout_transfers_creator on payout_transfers (creator_id, created_at desc, transfer_id desc);
    create index payout_transfers_pending on payout_transfers (run_id, transfer_id) where state = 'pending' or (state = 'paid' and statement is null);

    create table payout_lines (
      line_id         text primary key,
      kind            text not null check (kind in ('receipt', 'bounty', 'adjustment', 'carry', 'returned')),
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
      reason          text check (reason in ('not_ok', 'reversed', 'restored', 'rounding', 'transfer_reversed')),
      -- Written before its row: a run moves all lines of a creator in one statement.
      transfer_id     text references payout_transfers deferrable initially deferred,
      -- Of the charge's end.
      at              timestamptz not null,
      hold_until      timestamptz,
      created_at      timestamptz not null,
      -- The transfer whose money came back.
      of_transfer_id  text references payout_transfers,
      check ((state in ('in_run', 'paid')) <= (transfer_id is not null)),
      check ((kind = 'receipt') = (charge_id is not null)),
      check ((kind = 'bounty') = (bounty_id is not null)),
      check ((kind = 'adjustment') = (of_line_id is not null)),
      check (kind = 'adjustment' or amount_micros >= 0),
      check ((kind = 'returned') = (of_transfer_id is not null))
    );
    create unique index payout_lines_spend on payout_lines (account_id, spend_version) where kind in ('receipt', 'bounty');
    create index payout_lines_of on payout_lines (of_line_id) where of_line_id is not null;
    create index payout_lines_accrued on payout_lines (line_id) where state = 'accrued';
    create index payout_lines_held on payout_lines (hold_until) where state = 'held';
    create index payout_lines_open on payout_lines (creator_id, state) include (amount_micros) where state in ('accrued', 'held', 'owed', 'failed', 'in_run');
    create index payout_lines_creator on payout_lines (creator_id, agent_id);
    create index payout_lines_transfer on payout_lines (transfer_id, at, line_id) where transfer_id is not null;
    create index payout_lines_returned on payout_lines (of_transfer_id) where of_transfer_id is not null;

    -- What creators are told of by mail, once each.
    create table payout_notices (
      user_id    text not null references users,
      kind       text not null check (kind in ('transfer_reversed', 'bank_refused', 'account_restricted')),
      -- What it is of: the same is told once.
      subject    text not null,
      -- What the words need.
      details    jsonb not null,
      created_at timestamptz not null,
      -- Of the process that sends it.
      claimed_at timestamptz,
      sent_at    timestamptz,
      primary key (user_id, kind, subject)
    );
    create index payout_notices_unsent on payout_notices (created_at) where sent_at is null;
  `,
  down: `
    drop table payout_notices, payout_lines, payout_transfers, payout_runs, payout_accounts;
  `,
};
