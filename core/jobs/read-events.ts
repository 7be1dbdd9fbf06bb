// The one reader of job events: what is there, then what comes, woken by NOTIFY.
import type { Knex } from 'knex';
import type { JobEvent } from './model.ts';
import { isTerminal } from './model.ts';

const page = 500;
/** NOTIFY can be lost across a reconnect: look again after this long anyway. */
const fallbackPollMs = 10_000;

/** Woken when a job may have new events. */
export interface Wakeups {
  /** Resolves on the next notification for `jobId`, after `timeoutMs`, or when `signal` aborts. Arm it before reading. */
  next(jobId: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export async function readEvents(db: Knex, jobId: string, after: number, limit = page): Promise<JobEvent[]> {
  const rows = await db('job_events').where({ job_id: jobId }).where('seq', '>', after).orderBy('seq').limit(limit);
  return rows.map((row) => ({ ...row, payload: asObject(row.payload) }));
}

/** Yields every event after `after` in order, and ends after the job's last one. */
export async function* followEvents(db: Knex, wakeups: Wakeups, jobId: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
  let seen = after;
  while (!signal.aborted) {
    const disarm = new AbortController();
    try {
      const woken = wakeups.next(jobId, fallbackPollMs, AbortSignal.any([signal, disarm.signal]));
      const job = await db('jobs').where({ job_id: jobId }).first('state', 'last_seq');
      if (!job) return;
      for (const event of await readEvents(db, jobId, seen)) {
        yield event;
        seen = event.seq;
      }
      if (seen < job.last_seq) continue;
      if (isTerminal(job.state)) return;
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
