// The one reader of logs (a job's events, a thread's): what is there, then what comes, woken by NOTIFY.
import type { Knex } from 'knex';
import type { Wakeups } from '../kernel/wakeups.ts';
import { nextOfJob } from './log-page.ts';
import { isTerminal, type JobEvent } from './model.ts';

const page = 500;
/** NOTIFY can be lost across a reconnect: look again after this long anyway. */
const fallbackPollMs = 10_000;

/** An append-only log with gap-free numbers, of a job or of a thread. */
export interface Log<E extends { seq: number }> {
  id: string;
  /**
   * What follows `after`, as far as one look gives it, and how far the log was at that moment. Undefined:
   * there is no such log (any more).
   */
  next(after: number): Promise<{ events: readonly E[]; last_seq: number; ended: boolean } | undefined>;
}

export async function readEvents(db: Knex, jobId: string, after: number, limit = page): Promise<JobEvent[]> {
  const rows = await db('job_events').where({ job_id: jobId }).where('seq', '>', after).orderBy('seq').limit(limit);
  return rows.map((row) => ({ ...row, payload: asObject(row.payload) }));
}

/** Yields every event after `after` in order, and ends after the job's last one. */
export function followEvents(db: Knex, wakeups: Wakeups, jobId: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
  const next = async (from: number) => {
    const page = await nextOfJob(db, jobId, from);
    return page && { events: page.events.map((event) => ({ job_id: jobId, ...event })), last_seq: page.last_seq, ended: isTerminal(page.state) };
  };
  return followLog(wakeups, { id: jobId, next }, after, signal);
}

/** The same for any log; one that never ends is followed until `signal` aborts. */
export async function* followLog<E extends { seq: number }>(wakeups: Wakeups, log: Log<E>, after: number, signal: AbortSignal): AsyncGenerator<E> {
  const watch = wakeups.watch(log.id);
  signal.addEventListener('abort', watch.end);
  try {
    for (let seen = after; !signal.aborted;) {
      const news = await log.next(seen);
      if (!news) return;
      for (const event of news.events) {
        yield event;
        seen = event.seq;
      }
      if (seen < news.last_seq) continue;
      if (news.ended) return;
      await watch.next(fallbackPollMs);
    }
  } finally {
    watch.end();
    signal.removeEventListener('abort', watch.end);
  }
}

// Safe: appendEvents is the only writer and takes objects only.
function asObject(payload: unknown): Record<string, unknown> {
  return payload as Record<string, unknown>;
}
