// Which jobs a home page is about.
import type { Item } from '../../api/query.ts';

export type Job = Item<'workLedger', 'activity'>;
export type FailedRun = Item<'myRuns', 'list'>;

/** The beginning of the day before, where the reader is. */
export function yesterday(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
}

export function yesterdayInUtc(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 1));
}

/** Those that ended after it. */
export function endedSince<T extends Pick<Job, 'ended_at'>>(jobs: readonly T[], since: Date): T[] {
  return jobs.filter(({ ended_at }) => ended_at !== null && Date.parse(ended_at) >= since.getTime());
}

/** The page of a job: a run's own, else the job's. */
export function pageOf({ kind, job_id, input }: Pick<Job, 'kind' | 'job_id' | 'input'>): string {
  return kind === 'run' && typeof input.run_id === 'string' ? `/runs/${input.run_id}` : `/jobs/${job_id}`;
}
