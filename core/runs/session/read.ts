// The log of a session, line by line. Hashes are computed while reading: events never change.
import { CanonicalJsonError } from '#contract/wire/canonical.ts';
import type { SessionEvent, SessionHeader, SessionLine, SessionSeal } from '#contract/wire/session.ts';
import { chained, headerSha256 } from '#contract/crypto/sha256.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Gone } from '../../kernel/errors.ts';
import type { JobEvent } from '../../jobs/model.ts';
import { followJobEvents } from '../../jobs/retention/read.ts';
import { sessionFor } from './find.ts';
import { headerOf } from './model.ts';
import { receiptIdOf } from '../../evidence/receipt/session-id.ts';
import { callsVisibleTo, type CallRow, sessionFacts, lastLineOfCall } from './of-call.ts';
import { signSession } from './sign.ts';

interface Following {
  session_id: string;
  after: number;
  signal: AbortSignal;
}

/**
 * Ends with the seal, or when `signal` aborts. @throws NotFound session_not_found, Gone
 * session_events_removed
 */
export async function followSession(ctx: Ctx, i: Following): Promise<AsyncGenerator<SessionLine>> {
  const user = requireUser(ctx, 'session.read');
  const call = await callsVisibleTo(ctx.db, user.user_id).where('r.receipt_id', receiptIdOf(i.session_id)).first<CallRow | undefined>();
  if (!call) {
    const session = await sessionFor(ctx.db, user, 'session.read', i.session_id);
    checkThere(session);
    return lines(ctx, { header: headerOf(session), jobId: session.job_id, seal: (read) => signSession(ctx, session, read) }, i);
  }
  checkThere(call);
  const whole = call.last_seq ?? 0;
  const signLastLine = async (read: Read): Promise<SessionSeal | undefined> => (read.events === whole ? lastLineOfCall(ctx, call, read) : undefined);
  return lines(ctx, { header: sessionFacts(call).header, jobId: call.run_job_id, seal: signLastLine }, i);
}

function checkThere({ events_state, run_id }: { events_state: string | null; run_id: string }): void {
  if (events_state !== 'removed') return;
  throw new Gone('session_events_removed', 'Its events were removed when their retention ended; its receipt remains', { run_id });
}

interface Read {
  head: string;
  events: number;
}

interface Log {
  header: SessionHeader;
  /** The job that has its events. */
  jobId: string | null;
  /** Undefined: the session continues, or the log was not read to its end. */
  seal(read: Read): Promise<SessionSeal | undefined>;
}

async function* lines(ctx: Ctx, { header, jobId, seal }: Log, { after, signal }: Following): AsyncGenerator<SessionLine> {
  yield header;
  let head = headerSha256(header);
  let events = 0;
  for await (const event of jobId === null ? [] : followJobEvents(ctx, jobId, 0, signal)) {
    const line = chain(event, head);
    head = line.hash;
    events = line.seq;
    if (events > after) yield line;
  }
  const last = await seal({ head, events });
  if (last) yield last;
}

function chain({ seq, kind, payload, at }: JobEvent, prev: string): SessionEvent {
  const event = { seq, kind, at: at.toISOString() };
  try {
    return chained({ ...event, payload }, prev);
  } catch (error) {
    // No event of an agent may break its log.
    if (error instanceof CanonicalJsonError) return chained({ ...event, payload: { omitted: error.message } }, prev);
    throw error;
  }
}
