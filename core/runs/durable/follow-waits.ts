// The job and the workflow of a durable run follow its waits. Other runs have neither, and nothing happens.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { jobOfRun, workflowOfRun } from '../run/model.ts';

/** With the run's row in state waiting. */
export async function pauseRunJob(tx: Knex.Transaction, runId: string): Promise<void> {
  const job = await jobOfRun(tx, runId);
  if (job) await transitionJob(tx, job.job_id, { from: ['queued', 'running'], to: 'waiting' });
}

/** One of its waits is resolved: its workflow reads the run's events again. */
export async function resumeRunJob(tx: Knex.Transaction, ctx: Ctx, runId: string | null): Promise<void> {
  const job = runId === null ? undefined : await jobOfRun(tx, runId);
  if (!job || runId === null || job.ended_at !== null) return;
  const run = await tx('runs').where({ run_id: runId }).first('state');
  if (run?.state === 'running') await transitionJob(tx, job.job_id, { from: ['waiting'], to: 'running' });
  await signalWorkflow(tx, ctx, workflowOfRun(runId), 'woken');
}
