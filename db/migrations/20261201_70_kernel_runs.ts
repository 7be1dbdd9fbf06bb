import type { Knex } from 'knex';

/** Runs of simulated worlds, and comparisons of policies in them. Their state is their job's. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table kernel_runs (
      job_id           text primary key references jobs,
      owner_id         text not null references users,
      kind             text not null check (kind in ('simulation', 'evolution')),
      world            text not null check (world in ('market', 'tournament', 'school', 'adversarial_arena', 'resource_competition', 'capability_lifecycle', 'partnership')),
      template         text,
      execution_mode   text not null check (execution_mode in ('bounded', 'hybrid')),
      seed             integer not null,
      engine           text not null,
      spec             jsonb not null,
      -- of the evolution alone: what is compared, and how
      input            jsonb not null default '{}',
      replay_of        text references kernel_runs,
      -- steps, or contestants
      done             integer not null default 0,
      total            integer not null,
      digests          jsonb not null default '[]',
      samples          jsonb not null default '[]',
      most_calls       integer not null default 0,
      calls            jsonb not null default '[]',
      contestants      jsonb not null default '[]',
      -- null: it has not come to its end
      verdict          text check (verdict in ('held', 'violated')),
      digest           text,
      result           jsonb,
      first_difference integer,
      budget_cents     integer not null default 0,
      deadline_at      timestamptz not null,
      created_at       timestamptz not null default now()
    );
    create index kernel_runs_owner on kernel_runs (owner_id, kind, created_at desc, job_id desc);
    create index kernel_runs_replay on kernel_runs (replay_of);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table kernel_runs');
}
