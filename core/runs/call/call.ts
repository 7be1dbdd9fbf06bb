// What a call is while it is under way, and how its arguments and result are named in a receipt.
import { createHash } from 'node:crypto';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { Actor, Ctx, RunActor } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { actorId } from '../../kernel/audit.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';

export interface Caller {
  kind: Actor['kind'];
  id: string | null;
  /** A user of ours, who may then see the receipt. */
  userId: string | null;
}

export interface Call {
  /** `cal_…`: names it while it is under way. */
  callId: string;
  caller: Caller;
  route: AgentRoute;
  skill: string;
  inputSha256: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** What the call became at the agent. */
  run: RunActor;
  /** Of the grant that the caller passed on, verified. */
  grantId: string | null;
}

/** A call that begins at this moment. */
export function newCall({ clock }: Pick<Ctx, 'clock'>, facts: Omit<Call, 'callId' | 'startedAt'>): Call {
  const startedAt = clock();
  return { callId: newId('cal', startedAt), startedAt, ...facts };
}

export type Ending = { status: 'ok'; outputSha256: string } | { status: 'error' | 'cancelled'; errorCode: string };

export const cancelledByCaller: Ending = { status: 'cancelled', errorCode: 'cancelled_by_caller' };

export function callerOf(actor: Actor): Caller {
  return { kind: actor.kind, id: actorId(actor), userId: actor.kind === 'user' || actor.kind === 'run' ? actor.user_id : null };
}

export function sha256(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Hash of a value's canonical JSON; undefined when it has none (lone surrogates, endless nesting). */
export function hashOf(value: unknown): string | undefined {
  try {
    return canonicalSha256(value);
  } catch {
    return undefined;
  }
}

/** The ending of a call that gave a result. */
export function succeeded(result: unknown): Ending {
  const outputSha256 = hashOf(result);
  return outputSha256 === undefined ? { status: 'error', errorCode: 'bad_answer' } : { status: 'ok', outputSha256 };
}

/** The ending of a call whose agent answered with an error body, `{ detail: { code } }`. */
export function failedWith(body: unknown, fallback: string): Ending {
  const code = errorCode(body) ?? fallback;
  return { status: code === 'cancelled_by_caller' ? 'cancelled' : 'error', errorCode: code };
}

function errorCode(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return undefined;
  const { detail } = body;
  return typeof detail === 'object' && detail !== null && 'code' in detail && typeof detail.code === 'string' ? detail.code.slice(0, 128) : undefined;
}
