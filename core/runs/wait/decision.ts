// What a person decides, and what comes of it.
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import type { HeldWait } from './hold.ts';
import type { Resolution } from './model.ts';

export type Decision = { decision: 'answered'; answer: unknown } | { decision: 'approved' } | { decision: 'denied'; reason: string };

export interface Resolved {
  wait_id: string;
  /** What was decided; pending: votes of others are missing. */
  state: Resolution['decision'] | 'pending';
  /** As it was when they decided; of several who vote: as it is then. */
  row: WaitsRow;
}

/**
 * A machine that sleeps starts to wake while the engine takes the decision. Nothing depends on it, so it is not awaited: the delivery wakes the machine
 * as well, and a user whose decision is refused could have woken it by a call.
 */
export function wakeAhead(ctx: Ctx, { run, instance }: HeldWait): void {
  if (run && isOpenRun(run) && instance) ctx.drivers.runtime.wake(instance.instance_id).catch(() => undefined);
}
