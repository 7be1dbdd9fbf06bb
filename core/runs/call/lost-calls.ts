// Calls of a process of the API that was killed. Where the skill ended with the connection, the call ends
// here; where its run continues, this process follows the run.
import type { Knex } from 'knex';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { longAgo } from '../../kernel/lease.ts';
import { system } from '../../kernel/act.ts';
import { resolveInstance } from '../../agents/route/instance.ts';
import { failed, type Outcome } from '../run/outcome.ts';
import { followFor } from './follow-events.ts';
import { notedCall, releaseCall, takeOver } from './open-calls.ts';
import { type EndingCall, endFollowedCall, endCall } from './end.ts';

/** A process without a heartbeat for so long counts as dead: several beats are missing. */
const silentSeconds = 30;
const batch = 100;
const LOST: Outcome = failed('call_lost');

/**
 * For processes with a heartbeat (`startHeartbeat`). Resolves with the ids of the calls it ended or claimed.
 */
export async function sweepLostCalls(ctx: Ctx): Promise<string[]> {
  const lost = await lostCalls(ctx.db).orderBy('began_at').limit(batch).select('call_id');
  for (const { call_id } of lost) {
    const call = await system(ctx, (ctx) => endOrTakeOver(ctx, call_id));
    // Where it could not be followed or ended, the next round takes it again.
    if (call) void listenOn(ctx, call).catch(() => releaseCall(call_id));
  }
  await forget(ctx.db);
  return lost.map(({ call_id }) => call_id);
}

function lostCalls(db: Knex) {
  const alive = db('api_processes as p')
    .whereRaw('p.process_id = open_calls.process_id')
    .whereRaw(`not ${longAgo('p.seen_at', silentSeconds)}`);
  return db('open_calls').whereNull('receipt_id').whereRaw(longAgo('began_at', silentSeconds)).whereNotExists(alive);
}

/** Resolves with a call that is to be listened to. */
async function endOrTakeOver(ctx: TxCtx, callId: string): Promise<EndingCall | undefined> {
  const row = await lostCalls(ctx.db).where({ call_id: callId }).forUpdate().first('call', 'goes_on');
  if (!row) return undefined;
  const call = notedCall(row);
  if (row.goes_on) {
    await takeOver(ctx.db, callId);
    return call;
  }
  // Its row in open_calls stays for a day: its process may only have been disconnected, and must find the
  // receipt.
  const { callId: _, ...rest } = call;
  const receipt = await endCall(ctx, rest, LOST);
  const mine = ctx.db('open_calls').where({ call_id: callId });
  // A durable run is its workflow's to end.
  await (receipt ? mine.update({ receipt_id: receipt.receipt_id }) : mine.delete());
  return undefined;
}

async function listenOn(ctx: Ctx, call: EndingCall): Promise<void> {
  const place = await resolveInstance(ctx, call.route.deployId);
  await (place ? followFor(ctx, call, place) : endFollowedCall(ctx, call, LOST));
}

async function forget(db: Knex): Promise<void> {
  const day = `now() - interval '1 day'`;
  await db('open_calls').whereNotNull('receipt_id').whereRaw(`began_at < ${day}`).delete();
  const calls = db('open_calls as o').whereRaw('o.process_id = api_processes.process_id');
  await db('api_processes').whereRaw(`seen_at < ${day}`).whereNotExists(calls).delete();
}
