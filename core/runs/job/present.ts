// How jobs look on the wire.
import type { z } from 'zod';
import type { JobOut } from '#contract/runs/work-ledger.ts';
import type { JobsRow } from '#db/tables.ts';
import { storedFault } from '../../kernel/errors.ts';

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
    error: storedFault(row.error),
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
