// Events of jobs that ended long ago move from the database into an archive each, and from there, much later,
// away. Every step can come twice: an object is written whole before its rows go, and marked as gone before
// it goes.
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Knex } from 'knex';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { audit } from '../../kernel/audit.ts';
import { notRetained, ownerOfAgent } from '../../accounts/legal-hold.ts';
import { readEvents } from '../read-events.ts';
import { archiveKey, toLine } from './lines.ts';

const page = 1000;

export interface ArchiveStep {
  done: number;
  /** Left as they were; the next pass tries again. */
  failed: number;
}

/** Called after each job, with how many have been looked at. */
export type Progress = (count: number) => void;

/** Archives up to `limit` jobs that ended more than `days` days ago, oldest first. */
export async function archiveJobs(ctx: Ctx, i: { days: number; limit: number }, progress: Progress = () => undefined): Promise<ArchiveStep> {
  const jobs = await ctx
    .db('jobs')
    .where({ events_state: 'kept' })
    .whereNotNull('ended_at')
    .where('ended_at', '<', before(ctx, i.days))
    .orderBy(['ended_at', 'job_id'])
    .limit(i.limit)
    .select('job_id');
  return eachOf(
    jobs.map(({ job_id }) => job_id),
    (jobId) => archiveJob(ctx, jobId),
    progress,
  );
}

/** False: another process has archived it, or it has changed recently. */
export async function archiveJob(ctx: Ctx, jobId: string): Promise<boolean> {
  const key = archiveKey(jobId);
  const written = { events: 0 };
  const zip = createGzip();
  const [stored] = await Promise.all([ctx.drivers.storage.put(key, zip), pipeline(Readable.from(linesOf(ctx, jobId, written)), zip)]);
  return system(ctx, async (ctx) => {
    const job = await ctx.db('jobs').where({ job_id: jobId, events_state: 'kept' }).whereNotNull('ended_at').forUpdate().first('last_seq');
    // All of them are in the archive, or they stay where they are.
    if (!job || job.last_seq !== written.events) return false;
    await ctx.db('job_archives').insert({ job_id: jobId, storage_key: key, ...stored, events: written.events });
    await ctx.db('job_events').where({ job_id: jobId }).delete();
    await ctx.db('jobs').where({ job_id: jobId }).update({ events_state: 'archived' });
    await audit(ctx, 'job.events_archived', { job: jobId }, { events: written.events, size_bytes: stored.size_bytes });
    return true;
  });
}

/**
 * Removes up to `limit` archives of jobs that ended more than `days` days ago. The jobs stay, and say so;
 * receipts stay for good.
 */
export async function removeArchives(ctx: Ctx, i: { days: number; limit: number }, progress: Progress = () => undefined): Promise<ArchiveStep> {
  const due = await ctx
    .db('job_archives as a')
    .join('jobs as j', 'j.job_id', 'a.job_id')
    .whereNull('a.removed_at')
    .where('j.ended_at', '<', before(ctx, i.days))
    .where(withoutRetention(ctx))
    .orderBy(['a.archived_at', 'a.job_id'])
    .limit(i.limit)
    .select('a.job_id', 'a.storage_key');
  const keys = new Map(due.map((row) => [row.job_id, row.storage_key]));
  return eachOf([...keys.keys()], (jobId) => removeArchive(ctx, jobId, keys.get(jobId) ?? archiveKey(jobId)), progress);
}

/** False: it is gone already, or a policy keeps it. */
export async function removeArchive(ctx: Ctx, jobId: string, key: string): Promise<boolean> {
  // What is marked goes, in the next pass if not in this one; what a policy keeps by now is not marked.
  await ctx.db('jobs as j').where({ job_id: jobId, events_state: 'archived' }).where(withoutRetention(ctx)).update({ events_state: 'removed' }); // prettier-ignore
  if (!(await ctx.db('jobs').where({ job_id: jobId, events_state: 'removed' }).first('job_id'))) return false;
  await ctx.drivers.storage.delete(key);
  return system(ctx, async (ctx) => {
    const marked = await ctx
      .db('job_archives')
      .where({ job_id: jobId })
      .whereNull('removed_at')
      .update({ removed_at: new Date(ctx.clock()).toISOString() });
    if (marked > 0) await audit(ctx, 'job.events_removed', { job: jobId });
    return marked > 0;
  });
}

/** Neither its account nor the account of its agent keeps it. */
function withoutRetention(ctx: Ctx): (query: Knex.QueryBuilder) => void {
  return (query) =>
    void query.where(notRetained({ owner: 'j.owner_id', at: 'j.ended_at' }, ctx.clock())).where(notRetained({ owner: ownerOfAgent('j.agent_id'), at: 'j.ended_at' }, ctx.clock())); // prettier-ignore
}

async function eachOf(ids: readonly string[], work: (id: string) => Promise<boolean>, progress: Progress): Promise<ArchiveStep> {
  const step: ArchiveStep = { done: 0, failed: 0 };
  let last: unknown;
  for (const [at, id] of ids.entries()) {
    try {
      if (await work(id)) step.done += 1;
    } catch (error) {
      step.failed += 1;
      last = error;
    }
    progress(at + 1);
  }
  // All of them failed: the cause is the storage or the database, not a job.
  if (step.failed > 0 && step.failed === ids.length) throw last;
  return step;
}

async function* linesOf(ctx: Ctx, jobId: string, written: { events: number }): AsyncGenerator<string> {
  for (let seen = 0; ;) {
    const events = await readEvents(ctx.db, jobId, seen, page);
    for (const event of events) yield toLine(event);
    seen = events.at(-1)?.seq ?? seen;
    written.events += events.length;
    if (events.length < page) return;
  }
}

function before(ctx: Ctx, days: number): string {
  return new Date(ctx.clock() - days * 86_400_000).toISOString();
}
