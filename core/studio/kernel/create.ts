// A run begins as a row, its job and the start of its workflow, in one transaction.
import { ENGINE } from '#contract/studio/simulation/engine.ts';
import { MAX_OPEN_KERNEL_RUNS } from '#contract/wire/limits.ts';
import type { Insert } from '#db/table-types.ts';
import { createJob } from '../../jobs/create.ts';
import { openStates } from '../../jobs/model.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { workflowOfKernelRun } from './row.ts';

export type NewKernelRun = Omit<Insert<'kernel_runs'>, 'job_id' | 'owner_id' | 'engine' | 'deadline_at' | 'done'> & {
  ownerId: string;
  title: string;
  deadlineSeconds: number;
};

/** Resolves with the job's id. @throws Conflict too_many_kernel_runs */
export async function createKernelRun(ctx: TxCtx, { ownerId, title, deadlineSeconds, ...run }: NewKernelRun): Promise<string> {
  const { kind, world, template, seed, replay_of } = run;
  await lockName(ctx.db, `kernel-runs/${ownerId}`);
  const open = await ctx
    .db('kernel_runs as k')
    .join('jobs as j', 'j.job_id', 'k.job_id')
    .where({ 'k.owner_id': ownerId })
    .whereIn('j.state', openStates)
    .limit(MAX_OPEN_KERNEL_RUNS)
    .select('k.job_id');
  if (open.length >= MAX_OPEN_KERNEL_RUNS)
    throw new Conflict('too_many_kernel_runs', `${MAX_OPEN_KERNEL_RUNS} simulations of yours are under way: wait for one to end, or cancel one`);
  const job_id = await createJob(ctx, {
    kind: `kernel_${kind}`,
    title,
    ownerId,
    input: { world, template: template ?? null, seed, replay_of: replay_of ?? null },
  });
  const workflowId = workflowOfKernelRun(job_id);
  await ctx.db('jobs').where({ job_id }).update({ workflow_id: workflowId });
  const deadline = ctx.clock() + deadlineSeconds * 1000;
  await ctx.db('kernel_runs').insert({ ...run, job_id, owner_id: ownerId, engine: ENGINE, deadline_at: new Date(deadline) });
  await startWorkflow(ctx, {
    type: 'kernelRun',
    workflowId,
    taskQueue: 'control',
    args: [{ job_id, deadline_at: deadline }],
    searchAttributes: { SvcKind: 'kernel_run', SvcOwner: ownerId, SvcJob: job_id },
  });
  await audit(ctx, `kernel_run.${replay_of === undefined || replay_of === null ? 'start' : 'replay'}`, { job: job_id }, { kind, world, seed, replay_of });
  return job_id;
}
