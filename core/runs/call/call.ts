// A call while it is in progress.
import type { Actor, Ctx, RunActor } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { actorId } from '../../kernel/audit.ts';
import type { Streamed } from './streamed.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';

export interface Caller {
  kind: Actor['kind'];
  id: string | null;
  /** A user of ours, who may then see the receipt. */
  userId: string | null;
}

export interface Call {
  /** `cal_…`: names it while it is in progress. */
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
  /** What it may cost is held. */
  charged?: true;
  /** Of the skill, for what is scored by them. Not stored with the call. */
  args?: () => unknown;
  /** What it has streamed so far. Not stored with the call. */
  streamed?: Streamed;
}

/** A call that starts now. */
export function newCall({ clock }: Pick<Ctx, 'clock'>, facts: Omit<Call, 'callId' | 'startedAt'>): Call {
  const startedAt = clock();
  return { callId: newId('cal', startedAt), startedAt, ...facts };
}

export function callerOfActor(actor: Actor): Caller {
  return { kind: actor.kind, id: actorId(actor), userId: actor.kind === 'user' || actor.kind === 'run' ? actor.user_id : null };
}
