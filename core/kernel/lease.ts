// Work that one process holds for a time, and that another takes up when that has passed.

/** By so much the clocks of processes may differ. */
const SKEW_MS = 300_000;
const SKEW = `interval '${SKEW_MS} milliseconds'`;

/**
 * SQL over `held_until`: somebody holds the row. A lease that ends later than any that begins now was begun
 * before the machine's clock was set back: whoever held it was done long before the clock is there again.
 */
export const LEASE_ACTIVE = 'held_until is not null and held_until > :now and held_until <= :latest';

/** What HELD names, and until when a row that is taken now is held. */
export function leaseTimes(now: number, holdMs: number): { now: Date; until: Date; latest: Date } {
  return { now: new Date(now), until: new Date(now + holdMs), latest: new Date(now + holdMs + SKEW_MS) };
}

/**
 * The same in the database's own time. SQL: somebody holds the row until `column`, a name of ours; no lease
 * is longer than `seconds`.
 */
export function leasedUntil(column: string, seconds: number): string {
  return `(${column} is not null and ${column} > now() and ${column} <= now() + interval '${seconds} seconds' + ${SKEW})`;
}

/**
 * SQL over when a row was claimed: somebody who claimed it may still be at it. By `claimTimes`, of the
 * process's clock. A claim from the future was made before the clock was set back.
 */
export function stillClaimed(column: string): string {
  return `(${column} is not null and ${column} >= :stale and ${column} <= :ahead)`;
}

/** What `stillClaimed` names. */
export function claimTimes(now: number, claimMs: number): { now: Date; stale: Date; ahead: Date } {
  return { now: new Date(now), stale: new Date(now - claimMs), ahead: new Date(now + SKEW_MS) };
}

/**
 * SQL: the moment in `column` is longer ago than so many seconds, or of a time when the clock was ahead. In
 * the database's time.
 */
export function longAgo(column: string, seconds: number): string {
  return `(${column} < now() - interval '${seconds} seconds' or ${column} > now() + ${SKEW})`;
}
