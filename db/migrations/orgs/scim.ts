// What identity providers provision by SCIM, with tokens of their own.
import type { Part } from '../../parts.ts';

export const scim: Part = {
  up: `
    -- What an organization's identity provider sends to say who its people are.
    create table scim_tokens (
      token_id        text primary key,
      organization_id text not null references organizations,
      name            text not null,
      -- Of the whole token, base64url; the token itself is shown once and not kept.
      token_sha256    text not null unique,
      -- null: the account was purged
      created_by      text,
      created_at      timestamptz not null,
      last_used_at    timestamptz,
      -- null: it does not expire
      expires_at      timestamptz,
      revoked_at      timestamptz
    );
    create index scim_tokens_organization on scim_tokens (organization_id, created_at desc, token_id desc);

    create table scim_users (
      scim_id          text collate "C" primary key,
      organization_id  text not null references organizations,
      -- The member that this is; null: nobody can be invited for it, or it is not active and nobody has accepted.
      member_id        text references organization_members on delete set null,
      user_name_folded text collate "C" not null,
      external_id      text collate "C",
      -- Lower case: whom the organization invites.
      email            text,
      active           boolean not null,
      -- With canonical names; without what the server writes.
      document         jsonb not null,
      version          int not null,
      created_at       timestamptz not null,
      updated_at       timestamptz not null,
      unique (organization_id, user_name_folded),
      unique (organization_id, email)
    );
    create index scim_users_listed on scim_users (organization_id, scim_id);
    create index scim_users_member on scim_users (member_id) where member_id is not null;
    create index scim_users_name_trigram on scim_users using gin (organization_id, user_name_folded gin_trgm_ops) with (fastupdate = off);
    -- Whole: of an expression PostgreSQL has statistics for a whole index alone, and with a partial one it looked at every user for externalId lt "x".
    create index scim_users_external on scim_users (organization_id, left(external_id, 200));

    -- Each value of a document by which users are looked up. Text that is compared without its case is folded.
    create table scim_user_values (
      scim_id         text collate "C" not null references scim_users on delete cascade,
      attribute       text collate "C" not null,
      -- Of an attribute with several values: which of them.
      element         int not null,
      organization_id text not null,
      value           text collate "C" not null,
      primary key (scim_id, attribute, element)
    );
    create index scim_user_values_value on scim_user_values (organization_id, attribute, left(value, 200));
    -- Filters that ask for a part of a text (co, ew). Rows go into the index at once: what waits in a pending list is read by every search.
    create index scim_user_values_trigram on scim_user_values using gin (organization_id, attribute, value gin_trgm_ops) with (fastupdate = off);

    create table scim_groups (
      scim_id             text collate "C" primary key,
      organization_id     text not null references organizations,
      display_name        text not null,
      display_name_folded text collate "C" not null,
      external_id         text collate "C",
      version             int not null,
      created_at          timestamptz not null,
      updated_at          timestamptz not null,
      unique (organization_id, display_name_folded)
    );
    create index scim_groups_listed on scim_groups (organization_id, scim_id);

    create table scim_group_members (
      group_id text collate "C" not null references scim_groups on delete cascade,
      user_id  text collate "C" not null references scim_users on delete cascade,
      primary key (group_id, user_id)
    );
    create index scim_group_members_user on scim_group_members (user_id);

    -- Which role the members of a group have. Nobody becomes an owner by it.
    create table scim_group_roles (
      organization_id text not null references organizations,
      -- Folded: the group may come later.
      group_name      text collate "C" not null,
      shown_name      text not null,
      role            text not null check (role in ('admin', 'developer', 'operator', 'billing', 'auditor')),
      primary key (organization_id, group_name)
    );

    -- Columns are named as the tables that they count.
    create function count_scim_resources() returns trigger language plpgsql as $$
    begin
      execute format(
        'update organizations o set %1$I = o.%1$I + $1 * c.n
         from (select organization_id, count(*) as n from changed group by organization_id) c where o.organization_id = c.organization_id', tg_table_name)
        using case tg_op when 'INSERT' then 1 else -1 end;
      return null;
    end $$;
    create trigger scim_users_made after insert on scim_users
      referencing new table as changed for each statement execute function count_scim_resources();
    create trigger scim_users_gone after delete on scim_users
      referencing old table as changed for each statement execute function count_scim_resources();
    create trigger scim_groups_made after insert on scim_groups
      referencing new table as changed for each statement execute function count_scim_resources();
    create trigger scim_groups_gone after delete on scim_groups
      referencing old table as changed for each statement execute function count_scim_resources();
  `,
  down: `
    drop table scim_group_roles, scim_group_members, scim_groups, scim_user_values, scim_users, scim_tokens;
    drop function count_scim_resources;
  `,
};
