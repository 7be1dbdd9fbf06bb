// Work that one process holds for a time, and that another takes up when that has passed.

/** By so much the clocks of processes may differ. */
const SKEW_MS = 300_000;

/**
 * SQL over `held_until`: somebody holds the row. A lease that ends later than any that begins now was begun before the machine's clock was set back: whoever
 * held it was done long before the clock is there again.
 */
export const HELD = 'held_until is not null and held_until > :now and held_until <= :latest';

/** What HELD names, and until when a row that is taken now is held. */
export function leaseTimes(now: number, holdMs: number): { now: Date; until: Date; latest: Date } {
  return { now: new Date(now), until: new Date(now + holdMs), latest: new Date(now + holdMs + SKEW_MS) };
}
