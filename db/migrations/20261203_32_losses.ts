import type { Knex } from 'knex';

/**
 * What the processor took back after it was spent: the platform's account `losses` carries it, and the wallet owes it. A wallet that owes is blocked: nothing
 * new is held or put aside from it.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table ledger_accounts drop constraint ledger_accounts_kind_check;
    alter table ledger_accounts add constraint ledger_accounts_kind_check
      check (kind in ('wallet', 'earnings', 'fees', 'funding', 'promotion', 'escrow', 'losses'));
    alter table ledger_transactions drop constraint ledger_transactions_kind_check;
    alter table ledger_transactions add constraint ledger_transactions_kind_check
      check (kind in ('top_up', 'promotion', 'charge', 'escrow', 'reversal', 'refund', 'restore', 'recovery'));

    -- Of a wallet.
    alter table ledger_accounts add column owed_micros bigint not null default 0 check (owed_micros >= 0);
    create index ledger_accounts_owing on ledger_accounts (account_id) where owed_micros > 0;

    create or replace function ledger_hold(p_id text, p_key text, p_account text, p_amount bigint, p_at timestamptz, p_expires timestamptz)
    returns boolean language plpgsql as $$
    declare
      owed bigint;
    begin
      insert into ledger_holds (hold_id, key, account_id, amount_micros, state, expires_at, created_at)
        values (p_id, p_key, p_account, p_amount, 'open', p_expires, p_at) on conflict (key) do nothing;
      if not found then return false; end if;
      update ledger_accounts set held_micros = held_micros + p_amount where account_id = p_account returning owed_micros into owed;
      if owed > 0 then
        raise exception 'the wallet % owes', p_account using errcode = 'check_violation', constraint = 'ledger_accounts_blocked';
      end if;
      return true;
    end $$;

    create function ledger_refuse_owing() returns trigger language plpgsql as $$
    begin
      if new.amount_micros < 0 and exists (
        select from ledger_accounts a join ledger_transactions t on t.transaction_id = new.transaction_id
        where a.account_id = new.account_id and a.owed_micros > 0 and t.kind = 'escrow'
      ) then
        raise exception 'the wallet % owes', new.account_id using errcode = 'check_violation', constraint = 'ledger_accounts_blocked';
      end if;
      return new;
    end $$;
    -- A charge of what is held already is not refused: the work was done.
    create trigger ledger_entries_owing before insert on ledger_entries for each row when (new.amount_micros < 0) execute function ledger_refuse_owing();
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger ledger_entries_owing on ledger_entries;
    drop function ledger_refuse_owing;
    create or replace function ledger_hold(p_id text, p_key text, p_account text, p_amount bigint, p_at timestamptz, p_expires timestamptz)
    returns boolean language plpgsql as $$
    begin
      insert into ledger_holds (hold_id, key, account_id, amount_micros, state, expires_at, created_at)
        values (p_id, p_key, p_account, p_amount, 'open', p_expires, p_at) on conflict (key) do nothing;
      if not found then return false; end if;
      update ledger_accounts set held_micros = held_micros + p_amount where account_id = p_account;
      return true;
    end $$;
    alter table ledger_accounts drop column owed_micros;
    alter table ledger_transactions drop constraint ledger_transactions_kind_check;
    alter table ledger_transactions add constraint ledger_transactions_kind_check check (kind in ('top_up', 'promotion', 'charge', 'escrow', 'reversal'));
    alter table ledger_accounts drop constraint ledger_accounts_kind_check;
    alter table ledger_accounts add constraint ledger_accounts_kind_check check (kind in ('wallet', 'earnings', 'fees', 'funding', 'promotion', 'escrow'));
  `);
}
