import type { Knex } from 'knex';

/** Who of an organization approves what: its rules, votes, and who votes for whom. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Every version is kept: a vote names the one that it was cast under.
    create table approval_policies (
      organization_id text not null references organizations on delete cascade,
      version         int not null check (version > 0),
      -- Of version and rules.
      sha256          text not null,
      rules           jsonb not null,
      -- user_id; null: of a person who was purged.
      made_by         text,
      made_at         timestamptz not null,
      primary key (organization_id, version)
    );

    create table approval_delegations (
      delegation_id   text primary key,
      organization_id text not null references organizations on delete cascade,
      -- Who may not be there, and who votes for them.
      from_id         text not null references users,
      to_id           text not null references users,
      starts_at       timestamptz not null,
      ends_at         timestamptz not null,
      created_at      timestamptz not null,
      revoked_at      timestamptz,
      check (from_id <> to_id),
      check (starts_at < ends_at)
    );
    create index approval_delegations_from on approval_delegations (organization_id, from_id, created_at desc);
    create index approval_delegations_to on approval_delegations (organization_id, to_id) where revoked_at is null;
    create index approval_delegations_from_user on approval_delegations (from_id);
    create index approval_delegations_to_user on approval_delegations (to_id);

    -- approval: the rule as it was when the wait began. Null: one person decides.
    alter table waits
      add column approval jsonb,
      add column approval_stage int,
      add constraint waits_approval check ((approval is null) = (approval_stage is null));

    create table approval_votes (
      vote_id         text primary key,
      wait_id         text not null references waits on delete cascade,
      organization_id text not null,
      -- Whose vote it is, and who gave it: the same person, or a delegate. Null: of a person who was purged.
      for_id          text,
      by_id           text,
      delegation_id   text,
      decision        text not null check (decision in ('approve', 'deny')),
      reason          text not null,
      stage           int not null,
      request_id      text not null,
      at              timestamptz not null,
      -- Another vote of the same person took its place.
      replaced_at     timestamptz,
      -- It was among those that decided.
      counted         boolean not null default false
    );
    create unique index approval_votes_for on approval_votes (wait_id, for_id) where replaced_at is null;
    create unique index approval_votes_by on approval_votes (wait_id, by_id) where replaced_at is null;
    create index approval_votes_organization on approval_votes (organization_id);

    create trigger approval_votes_told after insert on approval_votes for each row execute function tell_account('wait', 'organization_id', 'wait_id');
    create trigger waits_stage_told after update of approval_stage on waits for each row
      when (old.approval_stage is distinct from new.approval_stage) execute function tell_account('wait', 'asked_of', 'wait_id');
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger waits_stage_told on waits;
    drop table approval_votes;
    alter table waits drop column approval, drop column approval_stage;
    drop table approval_delegations, approval_policies;
  `);
}
