// How a window of time is read: whole months, days and hours from counts, what is left at its ends from the
// records themselves. All in UTC.
import { type BUCKETS, MAX_BUCKETS } from '#contract/evidence/agent-insights.ts';
import type { COUNT_GRAINS } from '#contract/states.ts';
import { BadRequest } from '../../kernel/errors.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LENGTHS: Record<Bucket, number> = { hour: HOUR, day: DAY, month: 28 * DAY };

/** So many days are shown one by one unless asked otherwise. */
const DAYS_BY_DAY = 92;

export type Bucket = (typeof BUCKETS)[number];

/** Milliseconds since the epoch; the start is in it, the end is not. */
export interface Range {
  from: number;
  to: number;
}

export interface Window extends Range {
  bucket: Bucket;
}

export interface Slices {
  months: Range[];
  days: Range[];
  hours: Range[];
  /** Shorter than an hour each. */
  exact: Range[];
}

/** @throws BadRequest bad_window */
export function windowOf(i: { from?: string | undefined; to?: string | undefined; bucket?: Bucket | undefined }, now: number, defaultDays: number): Window {
  const to = i.to === undefined ? now : Date.parse(i.to);
  const from = i.from === undefined ? to - defaultDays * DAY : Date.parse(i.from);
  if (from >= to) throw new BadRequest('bad_window', 'from must be before to');
  const bucket = i.bucket ?? (to - from <= 3 * DAY ? 'hour' : to - from <= DAYS_BY_DAY * DAY ? 'day' : 'month');
  if ((to - from) / LENGTHS[bucket] > MAX_BUCKETS)
    throw new BadRequest('bad_window', `The window has more than ${MAX_BUCKETS} buckets: use a longer bucket, or a shorter window`);
  return { from, to, bucket };
}

/** Nothing is taken that is longer than what is asked for. */
export function slicesOf({ from, to, bucket }: Window): Slices {
  const [firstHour, lastHour] = [ceil(from, HOUR), floor(to, HOUR)];
  if (firstHour > lastHour) return { months: [], days: [], hours: [], exact: [{ from, to }] };
  const [firstDay, lastDay] = [ceil(firstHour, DAY), floor(lastHour, DAY)];
  const byDay = bucket !== 'hour' && firstDay < lastDay;
  const [firstMonth, lastMonth] = [ceilMonth(firstDay), floorMonth(lastDay)];
  const byMonth = bucket === 'month' && firstMonth < lastMonth;
  const days = byMonth ? filled([firstDay, firstMonth], [lastMonth, lastDay]) : filled([firstDay, lastDay]);
  return {
    months: byMonth ? [{ from: firstMonth, to: lastMonth }] : [],
    days: byDay ? days : [],
    hours: byDay ? filled([firstHour, firstDay], [lastDay, lastHour]) : filled([firstHour, lastHour]),
    exact: filled([from, firstHour], [lastHour, to]),
  };
}

const floor = (at: number, unit: number): number => Math.floor(at / unit) * unit;
const ceil = (at: number, unit: number): number => Math.ceil(at / unit) * unit;
function floorMonth(at: number): number {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth());
}

function ceilMonth(at: number): number {
  const day = new Date(at);
  return floorMonth(at) === at ? at : Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
}

const filled = (...ranges: [number, number][]): Range[] => ranges.flatMap(([from, to]) => (from < to ? [{ from, to }] : []));

/** SQL: whether `column` is in one of the ranges; the instants are ours, written out. */
export function within(column: string, ranges: readonly Range[]): string {
  return ranges.length === 0 ? 'false' : `(${ranges.map(({ from, to }) => `(${column} >= '${iso(from)}' and ${column} < '${iso(to)}')`).join(' or ')})`;
}

/** SQL: rows of counts of these times, each part by the index. `columns` and `table` are our own words. */
export function countsOf(table: string, columns: string, { months, days, hours }: Omit<Slices, 'exact'>, where = 'true'): string[] {
  const part = (grain: (typeof COUNT_GRAINS)[number]) => (range: Range) =>
    `select ${columns} from ${table} where agent_id = :agent_id and ${where} and grain = '${grain}' and ${within('since', [range])}`;
  return [...months.map(part('month')), ...days.map(part('day')), ...hours.map(part('hour'))];
}

export const iso = (at: number): string => new Date(at).toISOString();
