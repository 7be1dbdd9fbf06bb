// A job's events wherever they are: rows, or the archive they were moved to.
import { createGunzip } from 'node:zlib';
import type { Ctx } from '../../kernel/ctx.ts';
import { nextOfJob } from '../log-page.ts';
import { isTerminal, type JobEvent } from '../model.ts';
import { followLog, readEvents } from '../read-events.ts';
import { fromLine } from './lines.ts';

type Deps = Pick<Ctx, 'db' | 'drivers'>;

/** Events of an archive are read from its beginning each time: so many at once that it is seldom. */
const archivePage = 5000;

/** Up to `limit` events after `after`, oldest first. None of a job whose events are gone. */
export async function jobEvents(ctx: Deps, jobId: string, after: number, limit?: number): Promise<JobEvent[]> {
  const rows = await readEvents(ctx.db, jobId, after, limit);
  return rows.length > 0 ? rows : archivedEvents(ctx, jobId, after, limit ?? archivePage);
}

/**
 * Yields every event after `after` in order, and ends after the job's last one; at once when its events are
 * gone.
 */
export function followJobEvents(ctx: Deps, jobId: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
  const next = async (from: number) => {
    const page = await nextOfJob(ctx.db, jobId, from);
    if (!page) return undefined;
    const events = page.events.map((event) => ({ job_id: jobId, ...event }));
    const moved = page.events_state !== 'kept' && events.length === 0 && page.last_seq > from;
    return {
      events: moved ? await archivedEvents(ctx, jobId, from, archivePage) : events,
      last_seq: page.events_state === 'removed' ? 0 : page.last_seq,
      ended: isTerminal(page.state),
    };
  };
  return followLog(ctx.drivers.wakeups, { id: jobId, next }, after, signal);
}

async function archivedEvents(ctx: Deps, jobId: string, after: number, limit: number): Promise<JobEvent[]> {
  const archive = await ctx.db('job_archives').where({ job_id: jobId }).first('storage_key', 'events');
  if (!archive || archive.events <= after) return [];
  try {
    return await readArchive(ctx, { jobId, key: archive.storage_key, after, limit });
  } catch (error) {
    const job = await ctx.db('jobs').where({ job_id: jobId }).first('events_state');
    if (job?.events_state === 'removed') return [];
    throw error;
  }
}

async function readArchive(ctx: Deps, i: { jobId: string; key: string; after: number; limit: number }): Promise<JobEvent[]> {
  const stored = await ctx.drivers.storage.get(i.key);
  const text = createGunzip();
  // An error of the one must end the other, or the reader would wait for ever.
  stored.on('error', (error) => text.destroy(error)).pipe(text);
  const events: JobEvent[] = [];
  try {
    for await (const line of linesOf(text)) {
      const event = fromLine(i.jobId, line);
      if (event.seq > i.after) events.push(event);
      if (events.length >= i.limit) break;
    }
  } finally {
    stored.destroy();
    text.destroy();
  }
  return events;
}

/** Not node:readline: that also breaks lines at U+2028, which JSON allows within a text. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
