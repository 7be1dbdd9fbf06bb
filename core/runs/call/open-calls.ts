// A call is noted before its agent is asked, so that it gets its receipt even if this process is killed.
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { OpenCallsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { QUICK_COMMIT } from '../../kernel/quick-commit.ts';
import { storableJson } from '../../kernel/storable.ts';
import { isTransaction } from '../../kernel/tx.ts';
import type { Call } from './call.ts';
import type { EndingCall } from './end.ts';

/** The id of no process. */
const nobody = '';
/** This process, in its calls and its heartbeat. */
const processId = randomUUID();
const BEAT_EVERY_MS = 5_000;
const abandoned = new Set<string>();

/**
 * Before anything is sent to the agent. In a transaction it is as durable as that; on its own, or where all
 * of the transaction is as `quick`, it does not wait for the disk: it then protects against the end of this
 * process, not of the database's.
 */
export async function noteCalls(db: Knex, calls: readonly Call[], quick = !isTransaction(db)): Promise<void> {
  const rows = calls.map((call) => ({ call_id: call.callId, call: endingCallOf(call) }));
  const commit = quick ? `, ${QUICK_COMMIT}` : '';
  await db.raw(
    `insert into open_calls (call_id, process_id, call)
     select r->>'call_id', :processId, r->'call' from jsonb_array_elements(:rows::jsonb) r${commit}`,
    { processId, rows: storableJson(rows) },
  );
}

/**
 * In the transaction that ends the call, or once its run is durable. Resolves with the receipt that a sweep
 * has signed meanwhile.
 */
export async function deleteOpenCall(tx: Knex, callId: string): Promise<string | undefined> {
  const [row] = await tx('open_calls').where({ call_id: callId }).delete().returning('receipt_id');
  return row?.receipt_id ?? undefined;
}

/** Its run continues without its caller: if this process dies, another one follows the run. */
export async function noteFollowed({ db }: Pick<Ctx, 'db'>, callId: string): Promise<void> {
  await db('open_calls').where({ call_id: callId }).update({ goes_on: true });
}

/** Claims a call that another process followed. */
export async function takeOver(tx: Knex.Transaction, callId: string): Promise<void> {
  await tx('open_calls').where({ call_id: callId }).update({ process_id: processId });
}

/** Its end could not be written: as soon as the database is back it is given to the sweep of lost calls. */
export function releaseCall(callId: string): void {
  abandoned.add(callId);
}

/**
 * Work after which the calls have ended, or go on; where it fails they are given to the sweep: it may have
 * been committed although the answer was lost.
 */
export async function releasing<T>(calls: readonly Pick<EndingCall, 'callId' | 'streamed'>[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (const { callId, streamed } of calls) {
      streamed?.end();
      if (callId !== undefined) releaseCall(callId);
    }
    throw error;
  }
}

/** What was noted. */
export function notedCall(row: Pick<OpenCallsRow, 'call'>): EndingCall {
  // Safe: noteCalls is the only writer.
  return row.call as EndingCall;
}

/** Records that this process is alive, now and at an interval. Resolves with the function that ends it. */
export async function startHeartbeat(db: Knex): Promise<() => void> {
  const beat = async (): Promise<void> => {
    await db('api_processes')
      .insert({ process_id: processId })
      .onConflict('process_id')
      .merge({ seen_at: db.raw('now()') });
    const lost = [...abandoned];
    if (lost.length > 0) await db('open_calls').whereIn('call_id', lost).update({ process_id: nobody });
    for (const callId of lost) abandoned.delete(callId);
  };
  // A beat that failed is followed by the next; readiness reports the database.
  const tryBeat = (): Promise<void> => beat().catch(() => undefined);
  await tryBeat();
  const timer = setInterval(() => void tryBeat(), BEAT_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Keys and addresses stay out of the database. */
function endingCallOf({ callId, caller, route, skill, inputSha256, startedAt, run, grantId, charged }: Call): EndingCall {
  const { agentId, agentName, deployId, version, image, runtime } = route;
  return {
    callId,
    caller,
    route: { agentId, agentName, deployId, version, image, runtime },
    skill,
    inputSha256,
    startedAt,
    run,
    grantId,
    ...(charged && { charged }),
  };
}
