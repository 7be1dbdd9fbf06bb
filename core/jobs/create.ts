import type { TxCtx } from '../kernel/ctx.ts';
import { newId } from '../kernel/ids.ts';
import { storableJson, storableText } from '../kernel/storable.ts';
import { appendEvent } from './append-event.ts';

export interface NewJob {
  kind: string;
  title: string;
  ownerId: string;
  agent?: { id: string; name: string };
  threadId?: string;
  parentJobId?: string;
  idempotencyKey?: string;
  /** Its own, or one that is named after the job. */
  workflowId?: string | ((jobId: string) => string);
  input?: Record<string, unknown>;
}

/** Inserts a queued job with its first event `job.queued`; resolves with its id. */
export async function createJob(ctx: TxCtx, job: NewJob): Promise<string> {
  const jobId = newId('job', ctx.clock());
  await ctx.db('jobs').insert({
    job_id: jobId,
    kind: job.kind,
    state: 'queued',
    title: storableText(job.title),
    owner_id: job.ownerId,
    agent_id: job.agent?.id ?? null,
    agent_name: job.agent?.name ?? null,
    thread_id: job.threadId ?? null,
    parent_job_id: job.parentJobId ?? null,
    idempotency_key: job.idempotencyKey ?? null,
    workflow_id: typeof job.workflowId === 'function' ? job.workflowId(jobId) : (job.workflowId ?? null),
    input: storableJson(job.input ?? {}),
  });
  await appendEvent(ctx.db, jobId, 'job.queued', {});
  return jobId;
}
