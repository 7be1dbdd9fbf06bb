import type { Knex } from 'knex';

/** An organization's own sign-in: its connection to an OpenID Connect provider, whom that knows, and which sessions were made by it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table sso_connections (
      -- Another issuer or client is another connection: sessions of the one before end.
      connection_id   text primary key,
      organization_id text not null unique references organizations,
      issuer          text not null,
      client_id       text not null,
      secret_sealed   text not null,
      -- Lower case; addresses of others are refused. Each counts while the organization has it verified.
      domains         text[] not null,
      default_role    text not null check (default_role in ('admin', 'developer', 'operator', 'auditor', 'billing')),
      -- Whom the organization does not know becomes a member at the first sign-in.
      makes_members   boolean not null,
      -- Nobody acts for the organization but by a session of this connection.
      required        boolean not null default false,
      -- For so long after the sign-in.
      session_hours   int not null check (session_hours between 1 and 336),
      created_at      timestamptz not null,
      updated_at      timestamptz not null,
      last_used_at    timestamptz
    );
    create index sso_connections_domains on sso_connections using gin (domains);

    -- Whose account somebody at an organization's provider has. An account is found by this alone.
    create table sso_identities (
      organization_id text not null references organizations,
      issuer          text not null,
      subject         text not null,
      user_id         text not null references users,
      created_at      timestamptz not null,
      last_used_at    timestamptz not null,
      primary key (organization_id, issuer, subject)
    );
    create index sso_identities_user on sso_identities (user_id);

    alter table web_sessions
      -- When the person proved who they are at an identity provider; null: a link of the command line tool made it.
      add column signed_in_at timestamptz,
      -- The connection by which they did; null: the installation's own sign-in.
      add column sso_connection_id text,
      add constraint web_sessions_sso check (sso_connection_id is null or signed_in_at is not null);
    create index web_sessions_sso_connection on web_sessions (sso_connection_id) where sso_connection_id is not null;

    alter table platform_tokens
      add column signed_in_at timestamptz,
      add column sso_connection_id text,
      add constraint platform_tokens_sso check (sso_connection_id is null or signed_in_at is not null);
    create index platform_tokens_sso_connection on platform_tokens (sso_connection_id) where sso_connection_id is not null;

    alter table one_time_codes drop constraint one_time_codes_kind_check;
    alter table one_time_codes add constraint one_time_codes_kind_check
      check (kind in ('oidc_state', 'cli_session', 'cli_confirm', 'agent_session', 'sso_state', 'sso_token'));
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from one_time_codes where kind in ('sso_state', 'sso_token');
    alter table one_time_codes drop constraint one_time_codes_kind_check;
    alter table one_time_codes add constraint one_time_codes_kind_check check (kind in ('oidc_state', 'cli_session', 'cli_confirm', 'agent_session'));
    delete from platform_tokens where sso_connection_id is not null;
    alter table platform_tokens drop column sso_connection_id, drop column signed_in_at;
    delete from web_sessions where sso_connection_id is not null;
    alter table web_sessions drop column sso_connection_id, drop column signed_in_at;
    drop table sso_identities, sso_connections;
  `);
}
