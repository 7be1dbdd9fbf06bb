// The moves of a line: accrued → held → owed → in_run → paid or failed. A line that failed is taken by the next run; one that came to nothing is cancelled.
// What is paid stays paid: of money that comes back from the processor there is a line of its own, which begins as held.
import type { PayoutLineState } from '#contract/states.ts';

export const MOVES: Record<PayoutLineState, readonly PayoutLineState[]> = {
  accrued: ['held', 'cancelled'],
  held: ['owed', 'cancelled'],
  owed: ['in_run', 'cancelled'],
  in_run: ['paid', 'failed'],
  paid: [],
  failed: ['in_run', 'cancelled'],
  // What was taken back of its payer was paid after all.
  cancelled: ['accrued'],
};

/** What a run takes. */
export const DUE: readonly PayoutLineState[] = ['owed', 'failed'];
/** A cent, in micro-credits: transfers are of whole cents. */
export const CENT = 10_000;
