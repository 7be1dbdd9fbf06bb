// A job's events as server-sent events: the id is the sequence number, so a reader resumes without a gap.
import type { z } from 'zod';
import type { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { ServerEvent } from '../../http/handlers.ts';

type JobEvent = z.infer<typeof JobEventOut>;

export async function* jobEvents(events: AsyncIterable<JobEvent>): AsyncGenerator<ServerEvent<JobEvent>> {
  for await (const event of events) yield { id: String(event.seq), event: event.kind, data: event };
}

/** Where to continue: a reader's Last-Event-ID when it is one of ours, else what it asked for. */
export function resumeAfter(lastEventId: string | undefined, after = 0): number {
  return lastEventId !== undefined && /^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : after;
}
