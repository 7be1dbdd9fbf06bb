// Spans, and how far they are exported.
import type { Part } from '../../parts.ts';

export const traces: Part = {
  up: `
    -- Spans that cannot be read from other rows: those that agents send of their own runs, and those of sandboxes.
    create table spans (
      -- when the platform took it: the clock of an agent decides on no partition
      kept_at    timestamptz not null,
      run_id     text not null,
      trace_id   text not null,
      span_id    text not null,
      parent_id  text,
      owner_id   text not null,
      agent_name text not null,
      source     text not null check (source = any (array['platform', 'agent'])),
      name       text not null,
      kind       text not null check (kind = any (array['internal', 'server', 'client', 'producer', 'consumer'])),
      -- nanoseconds since the epoch: read as text, for a number of JavaScript does not hold them
      start_ns   bigint not null,
      end_ns     bigint not null,
      status     text not null check (status = any (array['unset', 'ok', 'error'])),
      message    text,
      attributes jsonb not null,
      events     jsonb not null
    ) partition by range (kept_at);
    create index spans_run on spans (run_id);

    -- The partitions are no tables of the schema: one for each day, and this one for what comes while there is none of its day.
    create schema span_days;
    create table span_days.spans_default partition of spans default;

    -- How many spans were taken and refused of a run, so that no agent fills the disk.
    create table span_counts (
      run_id   text primary key,
      spans    integer not null,
      bytes    bigint not null,
      refused  integer not null default 0,
      began_at timestamptz not null
    );
    create index span_counts_began on span_counts (began_at);

    -- Runs that ended without a receipt: exports follow receipts, and these beside them.
    create table unreceipted_runs (
      run_id   text primary key,
      ended_at timestamptz not null
    );
    create index unreceipted_runs_ended on unreceipted_runs (ended_at, run_id);

    -- How far the traces are exported: one row for each endpoint. One worker at a time exports to it.
    create table trace_exports (
      endpoint   text primary key,
      -- the last receipt of which it got the run; ids begin with the time that they were made at
      receipt_id text not null,
      held_until timestamptz,
      failed     integer not null default 0,
      error      text,
      -- The last of unreceipted_runs that was exported; null: those that end from now on.
      ended_at   timestamptz,
      run_id     text
    );
  `,
  down: `
    drop table trace_exports, unreceipted_runs, span_counts, spans;
    drop schema span_days;
  `,
};
