// An organization's own sign-in: its connection to an OpenID Connect provider, and whom that knows.
import type { Part } from '../../parts.ts';

export const sso: Part = {
  up: `
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

    -- Each time an owner ended the demand of single sign-on, so that the other owners learn of it by mail.
    create table sso_openings (
      opening_id      text primary key,
      organization_id text not null references organizations on delete cascade,
      -- user_id; null: of a person who was purged.
      opened_by       text references users,
      opened_at       timestamptz not null,
      -- A process writes the mails.
      claimed_at      timestamptz,
      -- They were sent, or cannot be.
      mailed_at       timestamptz
    );
    create index sso_openings_organization on sso_openings (organization_id);
    create index sso_openings_by on sso_openings (opened_by);
    create index sso_openings_unsent on sso_openings (opened_at) where mailed_at is null;
  `,
  down: `
    drop table sso_openings, sso_identities, sso_connections;
  `,
};
