// An organization is an account, a row of users that nobody signs in to: whatever has an owner may have an organization as one.
import type { Part } from '../../parts.ts';

export const organizations: Part = {
  up: `
    create table organizations (
      organization_id text primary key references users,
      slug            text not null unique,
      name            text not null,
      created_by      text,
      created_at      timestamptz not null,
      -- What people with an address of one of its verified domains may join as; null: they are invited.
      auto_join_role  text check (auto_join_role in ('developer', 'auditor')),
      -- How many are provisioned, kept here: each new one would else count all of them.
      scim_users      integer not null default 0,
      scim_groups     integer not null default 0
    );

    create table organization_members (
      member_id       text primary key,
      organization_id text not null references organizations,
      -- null: invited, and nobody has accepted
      user_id         text references users,
      -- Lower case: who was invited, or the account's own when it joined.
      email           text not null,
      role            text not null check (role in ('owner', 'admin', 'developer', 'operator', 'auditor', 'billing')),
      -- suspended: by the organization or its identity provider; has no rights, and is still listed.
      state           text not null check (state in ('invited', 'active', 'suspended')),
      source          text not null check (source in ('person', 'scim', 'domain', 'sso')),
      invited_by      text,
      created_at      timestamptz not null,
      joined_at       timestamptz,
      updated_at      timestamptz not null,
      -- The link of an invitation is made from it and a key: another number, another link. Nothing that opens is kept.
      invitation      int not null default 1 check (invitation > 0),
      expires_at      timestamptz,
      -- The mail of this invitation: claimed by who sends it, and sent.
      mail_claimed_at timestamptz,
      mailed_at       timestamptz,
      unique (organization_id, user_id),
      unique (organization_id, email),
      check ((state = 'invited') = (user_id is null)),
      constraint organization_members_expiry check ((state = 'invited') = (expires_at is not null))
    );
    create index organization_members_user on organization_members (user_id) where state = 'active';
    create index organization_members_email on organization_members (email) where state = 'invited';
    create index organization_members_listed on organization_members (organization_id, created_at, member_id);
    create index organization_members_unmailed on organization_members (created_at) where state = 'invited' and mailed_at is null;

    create table organization_domains (
      domain_id       text primary key,
      organization_id text not null references organizations,
      -- Punycode, lower case.
      domain          text not null,
      -- Part of the value that the TXT record has to have.
      nonce           text not null,
      -- verified: proved, and of one organization alone. lapsed: it was, and its record is gone.
      state           text not null check (state in ('pending', 'verified', 'lapsed')),
      problem         text,
      -- Looks in a row that did not find the record of a verified domain.
      failures        int not null default 0,
      created_at      timestamptz not null,
      verified_at     timestamptz,
      checked_at      timestamptz,
      unique (organization_id, domain)
    );
    create unique index organization_domains_holder on organization_domains (domain) where state = 'verified';
    create index organization_domains_checks on organization_domains (checked_at) where state <> 'pending';

    -- An action writes its row into audit_log, in its transaction; within a second the row is sealed here into a chain: a number, and a hash over it and the
    -- hash before. So no action waits for another, and a row that is taken away, changed or put in later shows.
    create table organization_audit (
      organization_id text not null references organizations,
      sequence        bigint not null check (sequence > 0),
      audit_id        text not null unique,
      action          text not null,
      actor_id        text,
      at              timestamptz not null,
      -- Canonical JSON (RFC 8785) of what is hashed.
      entry           text not null,
      previous_sha256 text not null,
      sha256          text not null,
      primary key (organization_id, sequence)
    );
    create index organization_audit_action on organization_audit (organization_id, action, sequence);
  `,
  down: `
    drop table organization_audit, organization_domains, organization_members, organizations;
  `,
};
