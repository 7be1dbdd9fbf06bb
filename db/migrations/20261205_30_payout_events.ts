import type { Knex } from 'knex';

/** What happens to a payout after it was sent: it is taken back at the processor, a bank refuses it, the account is restricted. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table ledger_transactions drop constraint ledger_transactions_kind_check, add constraint ledger_transactions_kind_check
      check (kind in ('top_up', 'promotion', 'charge', 'escrow', 'reversal', 'refund', 'restore', 'recovery', 'payout', 'payout_return'));

    alter table payout_transfers
      -- Of amount_micros: what came back from the processor, in whole cents. Only ever more.
      add column reversed_micros bigint not null default 0 check (reversed_micros between 0 and amount_micros and reversed_micros % 10000 = 0),
      add check (reversed_micros = 0 or state = 'paid');

    alter table payout_lines drop constraint payout_lines_kind_check, add constraint payout_lines_kind_check
      check (kind in ('receipt', 'bounty', 'adjustment', 'carry', 'returned'));
    alter table payout_lines drop constraint payout_lines_reason_check, add constraint payout_lines_reason_check
      check (reason in ('not_ok', 'reversed', 'restored', 'rounding', 'transfer_reversed'));
    alter table payout_lines
      -- The transfer whose money came back.
      add column of_transfer_id text references payout_transfers,
      add check ((kind = 'returned') = (of_transfer_id is not null));
    create index payout_lines_returned on payout_lines (of_transfer_id) where of_transfer_id is not null;

    alter table payout_accounts
      -- Of its writes: what was read before another wrote is not written.
      add column revision int not null default 0,
      -- The newest payout from the processor to the creator's bank. null: none is known
      add column bank_payout_id text,
      add column bank_state text check (bank_state in ('on_its_way', 'paid', 'failed', 'cancelled')),
      -- In the smallest unit of the currency.
      add column bank_amount bigint,
      add column bank_currency text,
      -- Why the bank refused: {"code", "message"}.
      add column bank_failure jsonb,
      add column bank_at timestamptz,
      add check (num_nulls(bank_payout_id, bank_state, bank_amount, bank_currency, bank_at) in (0, 5)),
      add check (bank_failure is null or bank_state = 'failed');

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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table payout_notices;
    alter table payout_accounts drop column revision, drop column bank_payout_id, drop column bank_state, drop column bank_amount, drop column bank_currency,
      drop column bank_failure, drop column bank_at;
    alter table payout_lines drop column of_transfer_id;
    alter table payout_lines drop constraint payout_lines_reason_check, add constraint payout_lines_reason_check
      check (reason in ('not_ok', 'reversed', 'restored', 'rounding'));
    alter table payout_lines drop constraint payout_lines_kind_check, add constraint payout_lines_kind_check
      check (kind in ('receipt', 'bounty', 'adjustment', 'carry'));
    alter table payout_transfers drop column reversed_micros;
    alter table ledger_transactions drop constraint ledger_transactions_kind_check, add constraint ledger_transactions_kind_check
      check (kind in ('top_up', 'promotion', 'charge', 'escrow', 'reversal', 'refund', 'restore', 'recovery', 'payout'));
  `);
}
