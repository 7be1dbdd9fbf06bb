// The one reader of logs (a job's events, a thread's): what is there, then what comes, woken by NOTIFY.
import type { Knex } from 'knex';
import type { JobEvent } from './model.ts';
import { isTerminal } from './model.ts';

const page = 500;
/** NOTIFY can be lost across a reconnect: look again after this long anyway. */
const fallbackPollMs = 10_000;

/** Woken when a job or thread may have new events. */
export interface Wakeups {
  /** Resolves on the next notification for `id`, after `timeoutMs`, or when `signal` aborts. Arm it before reading. */
  next(id: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** An append-only log with gap-free numbers, of a job or of a thread. */
export interface Log<E extends { seq: number }> {
  id: string;
  /** Undefined: there is no such log (any more). */
  head(): Promise<{ last_seq: number; ended: boolean } | undefined>;
  read(after: number): Promise<readonly E[]>;
}

export async function readEvents(db: Knex, jobId: string, after: number, limit = page): Promise<JobEvent[]> {
  const rows = await db('job_events').where({ job_id: jobId }).where('seq', '>', after).orderBy('seq').limit(limit);
  return rows.map((row) => ({ ...row, payload: asObject(row.payload) }));
}

/** Yields every event after `after` in order, and ends after the job's last one. */
export function followEvents(db: Knex, wakeups: Wakeups, jobId: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
  const head = async () => {
    const job = await db('jobs').where({ job_id: jobId }).first('state', 'last_seq');
    return job && { last_seq: job.last_seq, ended: isTerminal(job.state) };
  };
  return followLog(wakeups, { id: jobId, head, read: (from) => readEvents(db, jobId, from) }, after, signal);
}

/** The same for any log; one that never ends is followed until `signal` aborts. */
export async function* followLog<E extends { seq: number }>(wakeups: Wakeups, log: Log<E>, after: number, signal: AbortSignal): AsyncGenerator<E> {
  let seen = after;
  while (!signal.aborted) {
    const disarm = new AbortController();
    try {
      const woken = wakeups.next(log.id, fallbackPollMs, AbortSignal.any([signal, disarm.signal]));
      const head = await log.head();
      if (!head) return;
      for (const event of await log.read(seen)) {
        yield event;
        seen = event.seq;
      }
      if (seen < head.last_seq) continue;
      if (head.ended) return;
      await woken;
    } finally {
      // A reader that leaves, or has more to read, keeps no timer and no listener behind.
      disarm.abort();
    }
  }
}

// Safe: appendEvents is the only writer and takes objects only.
function asObject(payload: unknown): Record<string, unknown> {
  return payload as Record<string, unknown>;
}
