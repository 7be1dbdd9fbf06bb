import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- What other systems say of the trace (W3C tracestate), for what the run calls later; null: nothing.
    alter table runs add column trace_state text;
    -- Runs that ended without a receipt: exports follow receipts, and these beside them.
    create table unreceipted_runs (
      run_id   text primary key,
      ended_at timestamptz not null
    );
    create index unreceipted_runs_ended on unreceipted_runs (ended_at, run_id);
    -- The last of those that was exported; null: those that end from now on.
    alter table trace_exports add column ended_at timestamptz, add column run_id text;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table trace_exports drop column ended_at, drop column run_id;
    drop table unreceipted_runs;
    alter table runs drop column trace_state;
  `);
}
