// What other areas do when a job ends.
import type { Fault } from '../kernel/errors.ts';
import type { TxCtx } from '../kernel/ctx.ts';

export interface EndedJob {
  job_id: string;
  thread_id: string | null;
  /** What the job is of, where it is of a run. */
  run_id: string | null;
  parent_job_id: string | null;
}

export interface JobEnd {
  state: 'succeeded' | 'failed' | 'cancelled';
  result?: unknown;
  error?: Fault | undefined;
  /** What the platform says of it in a thread; default: the result or the error in words. */
  text?: string;
}

interface JobFollower {
  readonly name: string;
  /** In the transaction that ends it. */
  ended(ctx: TxCtx, job: EndedJob, end: JobEnd): Promise<void>;
}

declare module '../kernel/followers.ts' {
  interface Followers {
    jobs: readonly JobFollower[];
  }
}

/** Of runs and of plans: call it where one has ended its job. */
export async function jobEnded(ctx: TxCtx, job: EndedJob, end: JobEnd): Promise<void> {
  for (const { ended } of ctx.followers.jobs) await ended(ctx, job, end);
}
