// The events that an agent sends become events of the run's job: each exactly once, whichever driver reads
// it, however often it is sent.
import type { Knex } from 'knex';
import { storableJson } from '../../kernel/storable.ts';
import { eventsForThread } from './show-in-thread.ts';
import { type News, recordAlone, recordTogether } from './record-together.ts';

/** One event of an agent's stream, checked. */
export interface AgentRunEvent {
  /** From 1 in each attempt, without gaps. */
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
  /** Characters as sent. */
  size: number;
}

/** Where the reader believes the cursor to be; nothing is written if it is elsewhere. */
export interface RecordPoint {
  runId: string;
  attempt: number;
  cursor: number;
  /** Of the thread that gets the events; a run never changes it. */
  threadId: string | null;
}

/** Much more than people read of one run, and less than an agent could fill a disk with. */
export const RUN_LIMITS = { events: 100_000, bytes: 64 * 1024 * 1024 } as const;

export type RecordResult = 'recorded' | 'overtaken' | 'over_limit';

/**
 * The events, the run's cursor, the sequences of its job and its thread and the wake-up of their readers: all
 * of it or nothing. `ranMs` is added to the time that the run has worked.
 */
export async function recordEvents(db: Knex, at: RecordPoint, events: readonly AgentRunEvent[], ranMs: number): Promise<RecordResult> {
  const last = events.at(-1);
  if (!last) return 'recorded';
  const threadEvents = at.threadId === null ? [] : eventsForThread(at.runId, events);
  const news: News = {
    run_id: at.runId,
    attempt: at.attempt,
    was: at.cursor,
    becomes: last.seq,
    bytes: events.reduce((sum, event) => sum + event.size, 0),
    ran_ms: Math.round(ranMs),
    events: storableJson(events.map(({ kind, payload }) => ({ kind: `run.${kind}`, payload }))),
    thread_events: storableJson(threadEvents),
  };
  // A failed batch does not tell whose events are at fault: each run's are written, or fail, separately.
  const total = (await recordTogether(db, news).catch(() => undefined)) ?? (await recordAlone(db, news));
  if (!total) return 'overtaken';
  return total.count > RUN_LIMITS.events || total.bytes > RUN_LIMITS.bytes ? 'over_limit' : 'recorded';
}
