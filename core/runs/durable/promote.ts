// A user's call that must wait for a user becomes a durable run, in the transaction that opens the wait: its workflow holds it from then on.
import type { Knex } from 'knex';
import type { RunsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { isDurable } from '../../kernel/run-state.ts';
import { createJob } from '../../jobs/create.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { workflowOfRun } from '../run/model.ts';
import { startRunWorkflow } from './start.ts';

/** With the run's row held. Resolves with the id of the job that waits of this run belong to. */
export async function promoteRun(tx: Knex.Transaction, ctx: Ctx, run: RunActor, row: Pick<RunsRow, 'job_id' | 'kind'>): Promise<string | null> {
  if (isDurable(row) || !run.adoptable || run.user_id === null || run.parent_run_id !== null) return row.job_id;
  const jobId = await createJob(tx, ctx, {
    kind: 'run',
    title: `${run.agent_name}.${run.skill}`,
    ownerId: run.user_id,
    agent: { id: run.agent_id, name: run.agent_name },
    workflowId: workflowOfRun(run.run_id),
    input: { run_id: run.run_id, agent: run.agent_name, skill: run.skill },
  });
  await transitionJob(tx, jobId, { from: ['queued'], to: 'running' });
  const { input_sha256, grant_id } = run.adoptable;
  await tx('runs')
    .where({ run_id: run.run_id })
    .update({ kind: 'promoted', job_id: jobId, chain: [...run.chain], input_sha256, grant_id });
  await startRunWorkflow(tx, ctx, { runId: run.run_id, jobId, agent: run.agent_name, owner: run.user_id });
  await audit(tx, ctx, 'run.adopt', run.run_id, { job_id: jobId });
  return jobId;
}
