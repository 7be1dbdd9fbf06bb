import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('create extension if not exists pg_trgm');
  await db.raw(`
    create table users (
      user_id      text primary key,
      issuer       text not null,
      subject      text not null,
      email        text not null,
      name         text,
      operator     boolean not null default false,
      created_at   timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      unique (issuer, subject)
    );
    create index users_email on users (lower(email));

    create table web_sessions (
      session_id   text primary key,
      token_hash   text not null unique,
      user_id      text not null references users on delete cascade,
      created_at   timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      expires_at   timestamptz not null,
      revoked_at   timestamptz
    );
    create index web_sessions_user on web_sessions (user_id);

    -- Short-lived, single-use: login states, CLI exchange codes, confirmations, agent hand-off codes. Only hashes are kept.
    create table one_time_codes (
      code_hash  text primary key,
      kind       text not null check (kind in ('oidc_state', 'cli_session', 'cli_confirm', 'agent_session')),
      user_id    text references users on delete cascade,
      audience   text,
      payload    jsonb not null default '{}',
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at    timestamptz,
      used_by    text
    );
    create index one_time_codes_expiry on one_time_codes (expires_at);
    create index one_time_codes_user on one_time_codes (user_id);

    -- Tokens the platform itself issues; only hashes are kept.
    create table platform_tokens (
      token_id     text primary key,
      token_hash   text not null unique,
      kind         text not null check (kind in ('user', 'platform', 'agent_session')),
      user_id      text references users on delete cascade,
      agent_id     text,
      label        text not null default '',
      created_at   timestamptz not null default now(),
      expires_at   timestamptz,
      last_used_at timestamptz,
      revoked_at   timestamptz
    );
    create index platform_tokens_user on platform_tokens (user_id);

    -- What the embedded identity provider remembers (oidc-provider's adapter contract).
    create table oidc_payload (
      kind        text not null,
      id          text not null,
      payload     jsonb not null,
      grant_id    text,
      user_code   text,
      uid         text,
      expires_at  timestamptz,
      consumed_at timestamptz,
      primary key (kind, id)
    );
    create index oidc_payload_grant on oidc_payload (grant_id);
    create index oidc_payload_user_code on oidc_payload (user_code);
    create index oidc_payload_uid on oidc_payload (uid);
    create index oidc_payload_expiry on oidc_payload (expires_at);

    -- Local accounts of the embedded identity provider.
    create table idp_accounts (
      account_id    text primary key,
      email         text not null unique,
      name          text not null,
      operator      boolean not null default false,
      password_hash text not null
    );

    -- rate-limiter-flexible's table.
    create table rate_limits (
      key    varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table rate_limits, idp_accounts, oidc_payload, platform_tokens, one_time_codes, web_sessions, users');
}
