// When a schedule comes due: the one place that says what a cron expression means on the clock of a time
// zone. Pure.
import { DAY_MS, MINUTE_MS, type Cron } from './cron.ts';
import type { SCHEDULE_REPEATED_TIMES, SCHEDULE_SKIPPED_TIMES } from '../states.ts';
import { zonePieces, type ZonePiece } from './zone-pieces.ts';

export interface DueRule {
  cron: Cron;
  timeZone: string;
  skippedTimes: (typeof SCHEDULE_SKIPPED_TIMES)[number];
  repeatedTimes: (typeof SCHEDULE_REPEATED_TIMES)[number];
}

/**
 * A moment at which the clock is set, and times of the schedule are among those that it skips or shows twice.
 */
export interface ClockChange {
  kind: 'skipped' | 'repeated';
  at: number;
  /** The first such time, as the clock would show it: milliseconds since the epoch as if it were UTC. */
  clock: number;
  /** How many such times there are. */
  count: number;
  /** When the first of them runs all the same: none, one or two instants. */
  runs: number[];
}

/** Clocks have been set by up to a day. */
const longestChange = DAY_MS + 1;
const aheadMs = 40 * 366 * DAY_MS;

/** Instants from `from` on and before `until`, in order, each once. */
export function* dueTimes(rule: DueRule, from: number, until = from + aheadMs): Generator<number> {
  for (const piece of zonePieces(rule.timeZone, from - longestChange, until)) for (const at of dueInPiece(rule, piece)) if (at >= from && at < until) yield at;
}

export function firstDue(rule: DueRule, from: number, count: number): number[] {
  const times: number[] = [];
  for (const at of dueTimes(rule, from)) if (times.push(at) >= count) break;
  return times;
}

/**
 * The changes of the clock that touch the schedule. One that names every hour is an interval, and goes on as
 * even as it is.
 */
export function* clockChanges(rule: DueRule, from: number, until: number): Generator<ClockChange> {
  if (rule.cron.everyHour) return;
  for (const { end: at, ahead, after } of zonePieces(rule.timeZone, from, until)) {
    const [low, high] = [at + Math.min(ahead, after), at + Math.max(ahead, after)];
    const clocks = low === high ? [] : [...clockTimes(rule.cron, low, high)];
    const [clock] = clocks;
    if (clock === undefined) continue;
    const skipped = after > ahead;
    const twice = rule.repeatedTimes === 'twice' ? [clock - ahead, clock - after] : [clock - ahead];
    const runs = skipped ? (rule.skippedTimes === 'run_after' ? [wholeMinute(at, after)] : []) : twice;
    yield { kind: skipped ? 'skipped' : 'repeated', at, clock, count: clocks.length, runs };
  }
}

function* dueInPiece({ cron, skippedTimes, repeatedTimes }: DueRule, { start, end, ahead, before }: ZonePiece): Generator<number> {
  let first = start + ahead;
  if (!cron.everyHour) {
    // What the clock showed before it was set back has run already.
    if (ahead < before && repeatedTimes === 'once') first = start + before;
    if (ahead > before && skippedTimes === 'run_after' && !clockTimes(cron, start + before, first).next().done) {
      const after = wholeMinute(start, ahead);
      if (after < end) yield after;
      first = after + ahead + 1;
    }
  }
  for (const clock of clockTimes(cron, first, end + ahead)) yield clock - ahead;
}

/** Times of the calendar, from one to before the other, whether or not a clock shows them. */
function* clockTimes(cron: Cron, from: number, until: number): Generator<number> {
  for (let day = cron.nextDay(Math.floor(from / DAY_MS)); day !== undefined && day * DAY_MS < until; day = cron.nextDay(day + 1)) {
    for (const minute of cron.minutes) {
      const clock = day * DAY_MS + minute * MINUTE_MS;
      if (clock >= until) return;
      if (clock >= from) yield clock;
    }
  }
}

/** The first instant, from this one, at which the clock shows a whole minute. */
function wholeMinute(at: number, ahead: number): number {
  return Math.ceil((at + ahead) / MINUTE_MS) * MINUTE_MS - ahead;
}
