// A user's call that must wait for a user becomes a durable run, in the transaction that opens the wait: its
// workflow holds it from then on. So does the call that a person made of an agent whose called agent asks.
import { audit } from '../../kernel/audit.ts';
import type { RunActor, TxCtx } from '../../kernel/ctx.ts';
import { isDurable } from '../../kernel/run-state.ts';
import { createJob } from '../../jobs/create.ts';
import { markRunning } from '../../jobs/long-work.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';
import type { ChainedRun } from '../../pauses/wait/call-chain.ts';
import { startRunWorkflow } from './start.ts';

/**
 * With the chain of calls of the run that asks locked. Resolves with the id of the job that the wait belongs
 * to.
 */
export async function promoteTop(ctx: TxCtx, run: RunActor, chain: readonly ChainedRun[]): Promise<string | null> {
  const top = chain.at(-1);
  if (!top || isDurable(top) || !top.adoptable || top.user_id === null || top.parent_run_id !== null) return top?.job_id ?? run.job_id;
  const jobId = await createJob(ctx, {
    kind: 'run',
    title: `${top.agent_name}.${top.skill}`,
    ownerId: top.user_id,
    agent: { id: top.agent_id, name: top.agent_name },
    workflowId: workflowOfRun(top.run_id),
    input: { run_id: top.run_id, agent: top.agent_name, skill: top.skill },
  });
  await markRunning(ctx.db, jobId);
  await ctx
    .db('runs')
    .where({ run_id: top.run_id })
    .update({ kind: 'promoted', job_id: jobId, chain: [`${top.agent_name}/${top.skill}`] });
  await startRunWorkflow(ctx, { runId: top.run_id, jobId, agent: top.agent_name, skill: top.skill, owner: top.user_id });
  await audit(ctx, 'run.adopt', { run: top.run_id }, { job_id: jobId });
  return jobId;
}
