// What a person decides, and what comes of it.
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import type { WaitWithRun } from '../wait/hold.ts';
import type { Resolution } from '../wait/model.ts';

export type Decision = { decision: 'answered'; answer: unknown } | { decision: 'approved' } | { decision: 'denied'; reason: string };

export interface Resolved {
  wait_id: string;
  /** What is written; pending: votes of others are missing. */
  state: Resolution['decision'] | 'pending';
  /** As it is afterwards. */
  row: WaitsRow;
}

/** Of a wait that was decided, or still is to be. */
export function stateOf({ state }: Pick<WaitsRow, 'state'>): Resolved['state'] {
  return state === 'expired' || state === 'cancelled' ? 'denied' : state;
}

/**
 * A machine that sleeps starts to wake while the decision is written. Nothing depends on it, so it is not
 * awaited: the delivery wakes the machine as well, and a user whose decision is refused could have woken it
 * by a call.
 */
export function prewake(ctx: Ctx, { run, instance }: WaitWithRun): void {
  if (run && isOpenRun(run) && instance) ctx.drivers.runtime.wake(instance.instance_id).catch(() => undefined);
}
