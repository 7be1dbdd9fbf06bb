// A run begins as a row, its job and the start of its workflow, in one transaction.
import { ENGINE } from '#contract/studio/simulation/engine.ts';
import { MAX_OPEN_KERNEL_RUNS } from '#contract/wire/limits.ts';
import type { Insert } from '#db/table-types.ts';
import { beginWork, requirePlaces } from '../../jobs/long-work.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { workflowOfKernelRun } from './row.ts';

export type NewKernelRun = Omit<Insert<'kernel_runs'>, 'job_id' | 'owner_id' | 'engine' | 'deadline_at' | 'done'> & {
  ownerId: string;
  title: string;
  deadlineSeconds: number;
};

/** Of its jobs. */
const KINDS = ['kernel_simulation', 'kernel_evolution'];
const full = () => new Conflict('too_many_kernel_runs', `${MAX_OPEN_KERNEL_RUNS} simulations of yours are under way: wait for one to end, or cancel one`);

/** Resolves with the job's id. @throws Conflict too_many_kernel_runs */
export async function createKernelRun(ctx: TxCtx, { ownerId, title, deadlineSeconds, ...run }: NewKernelRun): Promise<string> {
  const { kind, world, template, seed, replay_of } = run;
  await requirePlaces(ctx.db, { ownerId, kinds: KINDS, most: MAX_OPEN_KERNEL_RUNS }, full);
  const deadline = ctx.clock() + deadlineSeconds * 1000;
  const job_id = await beginWork(ctx, {
    kind: `kernel_${kind}`,
    title,
    ownerId,
    workflowId: workflowOfKernelRun,
    workflow: { type: 'kernelRun', input: (job_id) => ({ job_id, deadline_at: deadline }), kind: 'kernel_run' },
    input: { world, template: template ?? null, seed, replay_of: replay_of ?? null },
  });
  await ctx.db('kernel_runs').insert({ ...run, job_id, owner_id: ownerId, engine: ENGINE, deadline_at: new Date(deadline) });
  await audit(ctx, `kernel_run.${replay_of === undefined || replay_of === null ? 'start' : 'replay'}`, { job: job_id }, { kind, world, seed, replay_of });
  return job_id;
}
