// The clock of a time zone as pieces of time in which it runs evenly. Pure; Intl knows the zones.
import { DAY_MS } from './cron.ts';

/** So that a reader that needs a few days of many years does not ask Intl for all of them. */
const longestMs = 30 * DAY_MS;

export interface ZonePiece {
  /** Milliseconds since the epoch; the first piece begins where it was asked for. */
  start: number;
  end: number;
  /**
   * Milliseconds that the clock is ahead of UTC in this piece, in the one before it and in the one after it.
   */
  ahead: number;
  before: number;
  after: number;
}

/** From one instant to the other, in order; the clock need not change between two of them. */
export function* zonePieces(timeZone: string, from: number, until: number): Generator<ZonePiece> {
  const aheadAt = zoneClock(timeZone);
  let [start, before] = [from, aheadAt(from)];
  let ahead = before;
  for (let at = from; at < until;) {
    // No zone has ever changed twice within a day.
    const next = Math.min(at + DAY_MS, until);
    const after = aheadAt(next);
    const changed = after !== ahead;
    if (changed || next - start >= longestMs) {
      const end = changed ? changeBetween(aheadAt, at, next) : next;
      yield { start, end, ahead, before, after };
      [start, before, ahead] = [end, ahead, after];
    }
    at = next;
  }
  yield { start, end: until, ahead, before, after: ahead };
}

function changeBetween(aheadAt: (at: number) => number, from: number, until: number): number {
  const old = aheadAt(from);
  let [low, high] = [from, until];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (aheadAt(middle) === old) low = middle;
    else high = middle;
  }
  return high;
}

const clocks = new Map<string, (at: number) => number>();

/** Milliseconds that the zone's clock is ahead of UTC at an instant. */
function zoneClock(timeZone: string): (at: number) => number {
  const known = clocks.get(timeZone);
  if (known) return known;
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...parts });
  const clock = (at: number): number => {
    const shown = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (name: Intl.DateTimeFormatPartTypes): number => shown.get(name) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - Math.floor(at / 1000) * 1000;
  };
  clocks.set(timeZone, clock);
  return clock;
}
