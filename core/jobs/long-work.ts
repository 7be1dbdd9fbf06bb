// Long work: a job beside the row of its own kind, which says how far it is, and a workflow that keeps it
// going. Here is how work of every kind begins, how many of an account may be under way, how its job ends,
// and what becomes of it when its workflow is lost; the steps between are its kind's.
import type { Knex } from 'knex';
import type { Ctx, TxCtx } from '../kernel/ctx.ts';
import type { DomainError, Fault } from '../kernel/errors.ts';
import { lockName } from '../kernel/lock-name.ts';
import type { WorkflowOwner } from '../kernel/lost-workflow.ts';
import { startWorkflow } from '../outbox/messages.ts';
import { createJob, type NewJob } from './create.ts';
import { openStates } from './model.ts';
import { transitionJob } from './transition.ts';

/** What a step came to. again: there is more to do now · waits: for what it began · ended. */
export type Advanced = 'again' | 'waits' | 'ended';

export interface NewWork extends NewJob {
  workflowId: NonNullable<NewJob['workflowId']>;
  workflow: {
    type: string;
    /** Its input: ids and times, never content. */
    input: (jobId: string) => object;
    /** What it is called in lists of workflows, where that is not the kind of its job. */
    kind?: string;
    /** The agent whose work it is there, where its job names none. */
    agent?: string | undefined;
  };
}

/** Its job and the start of its workflow. Its kind's row is the caller's. Resolves with the job's id. */
export async function beginWork(ctx: TxCtx, { workflow, ...job }: NewWork): Promise<string> {
  const job_id = await createJob(ctx, job);
  const agent = workflow.agent ?? job.agent?.name;
  await startWorkflow(ctx, {
    type: workflow.type,
    workflowId: typeof job.workflowId === 'string' ? job.workflowId : job.workflowId(job_id),
    taskQueue: 'control',
    args: [workflow.input(job_id)],
    searchAttributes: { SvcKind: workflow.kind ?? job.kind, SvcOwner: job.ownerId, SvcJob: job_id, ...(agent !== undefined && { SvcAgent: agent }) },
  });
  return job_id;
}

/**
 * Locked: of work that begins at once each counts what began before it. @throws what `refusal` makes of the
 * number that is under way
 */
export async function requirePlaces(
  tx: Knex.Transaction,
  { ownerId, kinds, most, wanted = 1 }: { ownerId: string; kinds: readonly string[]; most: number; wanted?: number },
  refusal: (open: number) => DomainError,
): Promise<void> {
  await lockName(tx, `open-${kinds.join('-')}/${ownerId}`);
  const open = await tx('jobs').where({ owner_id: ownerId }).whereIn('kind', kinds).whereIn('state', openStates).limit(most).select('job_id');
  if (open.length + wanted > most) throw refusal(open.length);
}

/** Its first step, once. `null`: its job no longer exists. */
export async function markRunning(db: Knex, jobId: string | null): Promise<boolean> {
  return jobId !== null && transitionJob(db, jobId, { from: ['queued'], to: 'running' });
}

interface WorkEnd {
  output?: Record<string, unknown> | undefined;
  /** What stopped it. */
  fault?: Fault | undefined;
}

/** How it ends: by `fault`, or with what it was to come to. */
export function endStateOf(fault: Fault | undefined): 'succeeded' | 'failed' | 'cancelled' {
  if (fault === undefined) return 'succeeded';
  return fault.code === 'cancelled' ? 'cancelled' : 'failed';
}

/**
 * Beside the end of its kind's row. Resolves true when this call ended it. `null`: its job no longer exists.
 */
export async function endJob(db: Knex, jobId: string | null, { output, fault }: WorkEnd): Promise<boolean> {
  return jobId !== null && transitionJob(db, jobId, { from: openStates, to: endStateOf(fault), ...(output && { output }), ...(fault && { error: fault }) });
}

/** Ends work whose workflow is gone. `input`: of its job. */
export type EndLost = (ctx: Ctx, jobId: string, fault: Fault, input: unknown) => Promise<void>;

/**
 * The owner of a job's workflow: what the engine lost starts again, and a workflow that a person or a fault
 * ended ends its job.
 */
export function ownerOfJob(end: EndLost): WorkflowOwner {
  return async (ctx, { workflow_id, state }) => {
    const job = await ctx.db('jobs').where({ workflow_id }).whereNull('ended_at').first('job_id', 'input');
    if (!job) return 'over';
    if (state === 'absent') return 'again';
    const fault = { code: 'workflow_lost', message: `The work's workflow ended as ${state} without a result: start it again` };
    await end(ctx, job.job_id, fault, job.input);
    // It stays among what is looked after until it has ended.
    const left = await ctx.db('jobs').where({ job_id: job.job_id }).whereNull('ended_at').first('kind');
    if (left) throw new Error(`the job ${job.job_id} (${left.kind}) did not end with its workflow`);
    return 'ended';
  };
}
