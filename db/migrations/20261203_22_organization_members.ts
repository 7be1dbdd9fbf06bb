import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table organizations
      -- What people with an address of one of its verified domains may join as; null: they are invited.
      add column auto_join_role text check (auto_join_role in ('developer', 'auditor'));

    alter table organization_members
      -- The link of an invitation is made from it and a key: another number, another link. Nothing that opens is kept.
      add column invitation int not null default 1 check (invitation > 0),
      add column expires_at timestamptz,
      -- The mail of this invitation: claimed by who sends it, and sent.
      add column mail_claimed_at timestamptz,
      add column mailed_at timestamptz;
    update organization_members set expires_at = created_at where state = 'invited';
    alter table organization_members add constraint organization_members_expiry check ((state = 'invited') = (expires_at is not null));
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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table organization_domains;
    drop index organization_members_listed, organization_members_unmailed;
    alter table organization_members drop column mailed_at, drop column mail_claimed_at, drop column expires_at, drop column invitation;
    alter table organizations drop column auto_join_role;
  `);
}
