// How jobs look on the wire.
import type { z } from 'zod';
import type { Fault } from '#contract/shared.ts';
import type { JobOut } from '#contract/runs/work-ledger.ts';
import type { JobsRow } from '#db/tables.ts';

type Job = z.infer<typeof JobOut>;

export function presentJob(row: JobsRow): Job {
  return {
    job_id: row.job_id,
    kind: row.kind,
    state: row.state,
    title: row.title,
    agent: row.agent_name,
    thread_id: row.thread_id,
    parent_job_id: row.parent_job_id,
    input: objectOf(row.input) ?? {},
    output: objectOf(row.output),
    error: faultOf(row.error),
    last_seq: row.last_seq,
    events: row.events_state,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

// Safe: core/jobs is the only writer of input and output, and takes objects only.
function objectOf(json: unknown): Record<string, unknown> | null {
  return json as Record<string, unknown> | null;
}

// Safe: core/jobs/transition.ts is the only writer of the column, as { code, message }.
function faultOf(json: unknown): z.infer<typeof Fault> | null {
  return json as z.infer<typeof Fault> | null;
}
