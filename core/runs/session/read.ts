// The log of a session, line by line. Hashes are computed as it is read: they follow from the events, which are never changed.
import { CanonicalJsonError } from '../../../contract/wire/canonical.ts';
import { chained, headerSha256, type SessionEvent, type SessionLine } from '../../../contract/wire/session.ts';
import { requireUser } from '../../actors.ts';
import type { Ctx } from '../../ctx.ts';
import { Gone } from '../../errors.ts';
import type { JobEvent } from '../../jobs/model.ts';
import { followJobEvents } from '../retention/read.ts';
import { readSession, type SessionView } from './find.ts';
import { headerOf } from './model.ts';
import { sealSession } from './seal.ts';

/** Ends with the seal, or when `signal` aborts. @throws NotFound session_not_found, Gone session_events_removed */
export async function followSession(ctx: Ctx, i: { session_id: string; after: number; signal: AbortSignal }): Promise<AsyncGenerator<SessionLine>> {
  const row = await readSession(ctx.db, requireUser(ctx), i.session_id);
  if (row.events_state === 'removed') {
    throw new Gone('session_events_removed', 'Its events have been kept for as long as events are; its receipt is kept for good', { run_id: row.run_id });
  }
  return lines(ctx, row, i.after, i.signal);
}

async function* lines(ctx: Ctx, row: SessionView, after: number, signal: AbortSignal): AsyncGenerator<SessionLine> {
  const header = headerOf(row);
  yield header;
  let head = headerSha256(header);
  let events = 0;
  for await (const event of followJobEvents(ctx, row.job_id, 0, signal)) {
    const line = chain(event, head);
    head = line.hash;
    events = line.seq;
    if (events > after) yield line;
  }
  const seal = await sealSession(ctx, row, { head, events });
  if (seal) yield seal;
}

function chain({ seq, kind, payload, at }: JobEvent, prev: string): SessionEvent {
  const event = { seq, kind, at: at.toISOString() };
  try {
    return chained({ ...event, payload }, prev);
  } catch (error) {
    // An agent must not be able to break its own log by what it says.
    if (error instanceof CanonicalJsonError) return chained({ ...event, payload: { omitted: error.message } }, prev);
    throw error;
  }
}
