import type { Knex } from 'knex';

/**
 * What carries every area: accounts, the audit log, counts of requests.
 * Accounts are here and not in identity: nearly every table names its owner, and nothing of a sign-in.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Parts of words: search, names, identity providers.
    create extension if not exists pg_trgm;
    -- Indexes that begin with an account, an organization or a bucket, so that a search costs what that holds and not what all hold.
    create extension if not exists btree_gin;

    -- Every end of an address, cut after 16 letters (core/platform/user/by-email.ts compares the rest).
    -- The cost keeps PostgreSQL from making the words of every account where it could read the index.
    create function email_ends(email text) returns tsvector language sql immutable strict parallel safe cost 1000 as $$
      select array_to_tsvector(array(select substr(email, at, 16) from generate_series(1, length(email)) at))
    $$;

    -- An account: a person who signs in (issuer, subject), or an organization, which nobody signs in to.
    -- A sign-in notes the time only: with room on the page no index is written.
    create table users (
      user_id      text primary key,
      issuer       text not null,
      subject      text not null,
      email        text not null,
      name         text,
      operator     boolean not null default false,
      created_at   timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      kind         text not null default 'person' check (kind in ('person', 'organization')),
      unique (issuer, subject)
    ) with (fillfactor = 85);
    create index users_email on users (lower(email));
    -- A part of an address is the beginning of one of its ends: it is read at one place.
    create index users_email_ends on users using gin (email_ends(lower(email))) with (fastupdate = off);

    -- Who did what, written in the transaction that does it. Rows of an organization are sealed into its chain: organization_audit.
    create table audit_log (
      audit_id        text primary key,
      at              timestamptz not null default now(),
      actor_kind      text not null,
      actor_id        text,
      owner_id        text,
      action          text not null,
      target_id       text not null,
      request_id      text not null,
      details         jsonb not null default '{}',
      organization_id text,
      sealed_at       timestamptz
    );
    create index audit_log_target on audit_log (target_id, at desc);
    create index audit_log_owner on audit_log (owner_id, at desc);
    create index audit_log_unsealed on audit_log (organization_id, at, audit_id) where organization_id is not null and sealed_at is null;

    -- The table of rate-limiter-flexible, in the form that it expects.
    create table rate_limits (
      key    varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table rate_limits, audit_log, users;
    drop function email_ends;
  `);
}
