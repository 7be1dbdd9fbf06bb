import type { Knex } from 'knex';

/** Pauses of runs for a person: the question, the votes, the mails. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Every pause for a person.
    create table waits (
      wait_id        text primary key,
      kind           text not null check (kind in ('question', 'input_request', 'handoff_approval', 'scope_request')),
      state          text not null default 'pending' check (state in ('pending', 'answered', 'approved', 'denied', 'expired', 'cancelled')),
      -- Its foreign key is added in 0011_runs.ts.
      run_id         text,
      job_id         text references jobs,
      thread_id      text,
      agent_id       text references agents,
      agent_name     text,
      skill          text,
      -- Who may answer.
      asked_of       text not null references users,
      prompt         text not null,
      -- JSON Schema of the answer (input_request), or what is asked for (scope_request: old and requested patterns, mode, ttl).
      request        jsonb not null default '{}',
      expires_at     timestamptz not null,
      resolution     jsonb,
      resolved_by    text references users,
      resolved_at    timestamptz,
      -- When the running skill took the outcome.
      delivered_at   timestamptz,
      created_at     timestamptz not null default now(),
      -- An approved handoff lets one call through.
      used_at        timestamptz,
      -- approval: the rule as it was when the wait began. Null: one person decides.
      approval       jsonb,
      approval_stage int,
      -- The stage for which its rows in wait_mails were written; 0 where no rule has stages.
      mail_stage     int,
      check ((state = 'pending') = (resolved_at is null)),
      constraint waits_approval check ((approval is null) = (approval_stage is null))
    );
    create index waits_asked on waits (asked_of, created_at desc, wait_id desc);
    create index waits_pending on waits (expires_at) where state = 'pending';
    create index waits_run on waits (run_id);
    create index waits_job on waits (job_id);
    create index waits_resolved_by on waits (resolved_by);
    create index waits_thread on waits (thread_id) where state = 'pending';
    create index waits_open on waits (asked_of, expires_at, wait_id) where state = 'pending';
    create index waits_agent_asked on waits (agent_id, asked_of, created_at desc, wait_id desc);
    create index waits_unaddressed on waits (created_at) where state = 'pending' and mail_stage is distinct from coalesce(approval_stage, 0);

    -- One wait may be mailed to several: members of an organization.
    create table wait_mails (
      wait_id    text not null references waits on delete cascade,
      user_id    text not null references users on delete cascade,
      created_at timestamptz not null,
      -- A process writes the mail that names it.
      claimed_at timestamptz,
      -- It was sent, or cannot be.
      mailed_at  timestamptz,
      primary key (wait_id, user_id)
    );
    create index wait_mails_unsent on wait_mails (user_id) where mailed_at is null;
    create index wait_mails_user on wait_mails (user_id);

    -- Who wants to hear of what waits for them. mail_from: by mail, of what is opened from then on; null: not by mail. mailed_at: the last one.
    create table notifications (
      user_id   text primary key references users on delete cascade,
      mail_from timestamptz,
      mailed_at timestamptz
    );

    -- Votes of an organization's people; its rules and delegations are in orgs.
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

    create trigger waits_made_told after insert on waits for each row execute function tell_account('wait', 'asked_of', 'wait_id');
    create trigger waits_told after update of state on waits for each row
      when (old.state is distinct from new.state) execute function tell_account('wait', 'asked_of', 'wait_id');
    create trigger waits_stage_told after update of approval_stage on waits for each row
      when (old.approval_stage is distinct from new.approval_stage) execute function tell_account('wait', 'asked_of', 'wait_id');
    create trigger approval_votes_told after insert on approval_votes for each row execute function tell_account('wait', 'organization_id', 'wait_id');

    -- Foreign keys of tables of earlier areas.
    alter table grants add foreign key (wait_id) references waits;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table grants drop constraint grants_wait_id_fkey;
    drop table approval_votes, notifications, wait_mails, waits;
  `);
}
