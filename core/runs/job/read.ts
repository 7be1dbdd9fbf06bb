// One job, its events so far, its events as they happen.
import type { z } from 'zod';
import type { JobEventOut, JobEventsOut, JobOut } from '#contract/runs/work-ledger.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { presentEvent } from '../../jobs/present-event.ts';
import { followJobEvents, jobEvents } from '../../jobs/retention/read.ts';
import { jobFor } from './find.ts';
import { presentJob } from './present.ts';

export async function getJob(ctx: Ctx, i: { job_id: string }): Promise<z.infer<typeof JobOut>> {
  return presentJob(await jobFor(ctx.db, ctx.actor, 'job.read', i.job_id));
}

export async function listJobEvents(ctx: Ctx, i: { job_id: string; after: number; limit: number }): Promise<z.infer<typeof JobEventsOut>> {
  const job = await jobFor(ctx.db, ctx.actor, 'job.read', i.job_id);
  const events = await jobEvents(ctx, job.job_id, i.after, i.limit);
  return { items: events.map(presentEvent), last_seq: Math.max(job.last_seq, events.at(-1)?.seq ?? 0) };
}

/** Ends after the job's last event, or when `signal` aborts. */
export async function followJob(ctx: Ctx, i: { job_id: string; after: number; signal: AbortSignal }): Promise<AsyncGenerator<z.infer<typeof JobEventOut>>> {
  const job = await jobFor(ctx.db, ctx.actor, 'job.read', i.job_id);
  return present(ctx, job.job_id, i.after, i.signal);
}

async function* present(ctx: Ctx, jobId: string, after: number, signal: AbortSignal): AsyncGenerator<z.infer<typeof JobEventOut>> {
  for await (const event of followJobEvents(ctx, jobId, after, signal)) yield presentEvent(event);
}
