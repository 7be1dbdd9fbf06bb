// The job of a durable run: its workflow is named after the run.
import type { Knex } from 'knex';
import type { JobsRow } from '#db/tables.ts';

/** Also the id of its job's workflow; a run without such a job is a plain call that left a row. */
export function workflowOfRun(runId: string): string {
  return `run:${runId}`;
}

export async function jobOfRun(db: Knex, runId: string): Promise<JobsRow | undefined> {
  return db('jobs')
    .where({ workflow_id: workflowOfRun(runId) })
    .first();
}
