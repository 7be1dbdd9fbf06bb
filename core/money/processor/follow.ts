// What changed at the processor is read there again and written here. Reads race with each other and with
// events in any order, so each record counts its writes: who read before another wrote reads again, and what
// is written last was read last.
import type { Knex } from 'knex';
import { type PaymentEvent, PaymentsFailed, type Payments, type SubjectKind } from '#drivers/payments/port.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { atProcessor } from './ask.ts';

/** What was read. `write` resolves with false where another has written since. */
export interface ProcessorSnapshot {
  write(ctx: TxCtx): Promise<boolean>;
}
/** Reads an object by its id; undefined: it is none of ours. */
export type Follower = (ctx: Ctx, payments: Payments, id: string) => Promise<ProcessorSnapshot | undefined>;
export type ProcessorFollowers = Partial<Record<SubjectKind, Follower>>;

const ATTEMPTS = 10;
class Stale extends Error {}

export interface FollowIn {
  payments: Payments;
  followers: ProcessorFollowers;
  about: PaymentEvent['about'];
  /** What said so; absent: we look by ourselves. */
  event?: PaymentEvent;
}

/**
 * `replayed`: the event was taken before. The event is kept in the transaction of its effect. @throws
 * Unavailable payments_busy; see atProcessor
 */
export async function follow(ctx: Ctx, { payments, followers, about, event }: FollowIn): Promise<'taken' | 'replayed'> {
  const own: Ctx = { ...ctx, actor: { kind: 'platform', service: 'payments' } };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const followed = about && (await read(own, payments, followers[about.kind], about.id));
    try {
      return await system(own, async (ctx) => {
        if (event && !(await claim(ctx.db, payments, event, ctx.clock()))) return 'replayed';
        if (followed && !(await followed.write(ctx))) throw new Stale();
        return 'taken';
      });
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
    }
  }
  throw new Unavailable('payments_busy', 'The same payment changes too often just now: send the event again later');
}

/** What is not at the processor (any more) is none of ours. */
async function read(ctx: Ctx, payments: Payments, follower: Follower | undefined, id: string): Promise<ProcessorSnapshot | undefined> {
  try {
    return await follower?.(ctx, payments, id);
  } catch (error) {
    if (error instanceof PaymentsFailed && error.code === 'not_found') return undefined;
    return atProcessor(Promise.reject(error));
  }
}

async function claim(tx: Knex.Transaction, payments: Payments, { id, type, about, at }: PaymentEvent, now: number): Promise<boolean> {
  const row = { event_id: id, processor: payments.name, type, subject: about ? `${about.kind}:${about.id}` : null };
  const rows = await tx('processor_events')
    .insert({ ...row, created_at: new Date(at), taken_at: new Date(now) })
    .onConflict('event_id')
    .ignore()
    .returning('event_id');
  return rows.length > 0;
}
