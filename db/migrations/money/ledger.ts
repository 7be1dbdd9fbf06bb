// Double entry: accounts, transactions whose entries sum to zero, holds. What was written is never changed: a correction is a reversal.
import type { Part } from '../../parts.ts';

export const ledger: Part = {
  up: `
    -- Amounts are micro-credits; a credit is worth one US dollar.
    create table ledger_accounts (
      account_id     text primary key,
      kind           text not null check (kind in ('wallet', 'earnings', 'fees', 'funding', 'promotion', 'escrow', 'losses', 'payouts')),
      -- null: the platform's own
      owner_id       text,
      -- The platform's own accounts are several rows each: not every charge waits for the same one.
      shard          int not null default 0,
      balance_micros bigint not null default 0,
      -- Of open holds: what the balance covers and nobody else may spend.
      held_micros    bigint not null default 0 check (held_micros >= 0),
      -- Of the newest entry.
      version        bigint not null default 0,
      may_overdraw   boolean not null,
      created_at     timestamptz not null,
      -- Of a wallet: what the processor took back after it was spent. The platform's account losses carries it, and a wallet that owes is blocked.
      owed_micros    bigint not null default 0 check (owed_micros >= 0),
      unique nulls not distinct (kind, owner_id, shard),
      constraint ledger_accounts_covered check (may_overdraw or balance_micros >= held_micros)
    );
    create index ledger_accounts_owner on ledger_accounts (owner_id);
    create index ledger_accounts_owing on ledger_accounts (account_id) where owed_micros > 0;

    create table ledger_transactions (
      transaction_id text primary key,
      -- What it is done for: the same key is posted once.
      key            text not null unique,
      kind           text not null check (kind in ('top_up', 'promotion', 'charge', 'escrow', 'reversal', 'refund', 'restore', 'recovery', 'payout', 'payout_return')),
      reverses       text unique references ledger_transactions,
      -- Ids of what it is about. No personal data: it stays when an account is purged.
      refs           jsonb not null,
      created_at     timestamptz not null,
      check ((kind = 'reversal') = (reverses is not null))
    );

    create table ledger_entries (
      account_id     text not null references ledger_accounts,
      -- Of the account, from 1: a gap shows that an entry is missing.
      version        bigint not null,
      transaction_id text not null references ledger_transactions,
      amount_micros  bigint not null check (amount_micros <> 0),
      balance_before bigint not null,
      balance_after  bigint not null,
      primary key (account_id, version),
      check (balance_after = balance_before + amount_micros)
    );
    create index ledger_entries_transaction on ledger_entries (transaction_id);

    create function ledger_refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the ledger is not changed: post a reversal' using errcode = 'restrict_violation';
    end $$;
    create trigger ledger_entries_stay before update or delete or truncate on ledger_entries for each statement execute function ledger_refuse_change();
    create trigger ledger_transactions_stay before update or delete or truncate on ledger_transactions for each statement execute function ledger_refuse_change();

    create function ledger_check_sum() returns trigger language plpgsql as $$
    begin
      if (select sum(amount_micros) from ledger_entries where transaction_id = new.transaction_id) <> 0 then
        raise exception 'the entries of % do not sum to zero', new.transaction_id using errcode = 'check_violation', constraint = 'ledger_entries_sum';
      end if;
      return null;
    end $$;
    create constraint trigger ledger_entries_sum after insert on ledger_entries deferrable initially deferred
      for each row execute function ledger_check_sum();

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

    create table ledger_holds (
      hold_id       text primary key,
      key           text not null unique,
      account_id    text not null references ledger_accounts,
      amount_micros bigint not null check (amount_micros > 0),
      state         text not null check (state in ('open', 'settled', 'released')),
      expires_at    timestamptz not null,
      created_at    timestamptz not null,
      ended_at      timestamptz,
      check ((state = 'open') = (ended_at is null))
    );
    create index ledger_holds_open on ledger_holds (expires_at) where state = 'open';
    create index ledger_holds_account on ledger_holds (account_id) where state = 'open';

    -- Posts once for each key; says whether it did. Accounts are locked in the order of their ids.
    create function ledger_post(p_id text, p_key text, p_kind text, p_reverses text, p_refs jsonb, p_at timestamptz, p_accounts text[], p_amounts bigint[])
    returns boolean language plpgsql as $$
    declare
      line record;
      account ledger_accounts;
      written int := 0;
    begin
      insert into ledger_transactions (transaction_id, key, kind, reverses, refs, created_at) values (p_id, p_key, p_kind, p_reverses, p_refs, p_at)
        on conflict (key) do nothing;
      if not found then
        if exists (
          (select account_id, amount_micros from ledger_entries join ledger_transactions using (transaction_id) where key = p_key)
          except (select * from unnest(p_accounts, p_amounts))
        ) then
          raise exception 'the key % was used for other entries', p_key using errcode = 'unique_violation', constraint = 'ledger_key_reused';
        end if;
        return false;
      end if;
      for line in select * from unnest(p_accounts, p_amounts) as lines (account_id, amount) order by account_id loop
        update ledger_accounts set balance_micros = balance_micros + line.amount, version = version + 1
          where account_id = line.account_id returning * into strict account;
        insert into ledger_entries (account_id, version, transaction_id, amount_micros, balance_before, balance_after)
          values (account.account_id, account.version, p_id, line.amount, account.balance_micros - line.amount, account.balance_micros);
        written := written + 1;
      end loop;
      if written < 2 then
        raise exception 'a transaction has two entries or more' using errcode = 'check_violation', constraint = 'ledger_entries_sum';
      end if;
      return true;
    end $$;

    create function ledger_hold(p_id text, p_key text, p_account text, p_amount bigint, p_at timestamptz, p_expires timestamptz)
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

    -- Ends a hold, once.
    create function ledger_end_hold(p_key text, p_state text, p_at timestamptz) returns void language plpgsql as $$
    declare
      held ledger_holds;
    begin
      update ledger_holds set state = p_state, ended_at = p_at where key = p_key and state = 'open' returning * into held;
      if found then
        update ledger_accounts set held_micros = held_micros - held.amount_micros where account_id = held.account_id;
      end if;
    end $$;

    -- Ends a hold and posts what it was for. The hold is locked before accounts, as by ledger_end_hold, and accounts in the order of their ids.
    create function ledger_settle(p_hold text, p_id text, p_key text, p_kind text, p_refs jsonb, p_at timestamptz, p_accounts text[], p_amounts bigint[])
    returns boolean language plpgsql as $$
    begin
      perform 1 from ledger_holds where key = p_hold for update;
      perform 1 from ledger_accounts where account_id = any (p_accounts) order by account_id for update;
      perform ledger_end_hold(p_hold, 'settled', p_at);
      return ledger_post(p_id, p_key, p_kind, null, p_refs, p_at, p_accounts, p_amounts);
    end $$;
  `,
  down: `
    drop table ledger_holds, ledger_entries, ledger_transactions, ledger_accounts;
    drop function ledger_settle, ledger_end_hold, ledger_hold, ledger_post, ledger_refuse_owing, ledger_check_sum, ledger_refuse_change;
  `,
};
