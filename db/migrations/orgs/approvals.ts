// Who of an organization approves what: its rules, and who votes for whom. Votes are in pauses.
import type { Part } from '../../parts.ts';

export const approvals: Part = {
  up: `
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
  `,
  down: `
    drop table approval_delegations, approval_policies;
  `,
};
