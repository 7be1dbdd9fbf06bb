// A user's call that must wait for a user becomes a durable run, in the transaction that opens the wait: its workflow holds it from then on. So does the
// call that a person made of an agent whose called agent asks.
import type { Knex } from 'knex';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { isDurable } from '../../kernel/run-state.ts';
import { createJob } from '../../jobs/create.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { workflowOfRun } from '../run/model.ts';
import type { InLine } from './line.ts';
import { startRunWorkflow } from './start.ts';

/** With the line of the run that asks held. Resolves with the id of the job that the wait belongs to. */
export async function promoteTop(tx: Knex.Transaction, ctx: Ctx, run: RunActor, line: readonly InLine[]): Promise<string | null> {
  const top = line.at(-1);
  if (!top || isDurable(top) || !top.adoptable || top.user_id === null || top.parent_run_id !== null) return top?.job_id ?? run.job_id;
  const jobId = await createJob(tx, ctx, {
    kind: 'run',
    title: `${top.agent_name}.${top.skill}`,
    ownerId: top.user_id,
    agent: { id: top.agent_id, name: top.agent_name },
    workflowId: workflowOfRun(top.run_id),
    input: { run_id: top.run_id, agent: top.agent_name, skill: top.skill },
  });
  await transitionJob(tx, jobId, { from: ['queued'], to: 'running' });
  await tx('runs')
    .where({ run_id: top.run_id })
    .update({ kind: 'promoted', job_id: jobId, chain: [`${top.agent_name}/${top.skill}`] });
  await startRunWorkflow(tx, ctx, { runId: top.run_id, jobId, agent: top.agent_name, skill: top.skill, owner: top.user_id });
  await audit(tx, ctx, 'run.adopt', top.run_id, { job_id: jobId });
  return jobId;
}
