// Times as people read them, in English and the zone of their browser.
import { now } from '../api/visit.ts';
import { number } from './number.ts';

// Written by hand: the browser's own words take tens of milliseconds when a page first asks for them, and
// nearly each page shows a time.
const STEPS = [
  { unit: 'year', length: 365 * 86_400, before: 'last year', after: 'next year' },
  { unit: 'month', length: 30 * 86_400, before: 'last month', after: 'next month' },
  { unit: 'week', length: 7 * 86_400, before: 'last week', after: 'next week' },
  { unit: 'day', length: 86_400, before: 'yesterday', after: 'tomorrow' },
  { unit: 'hour', length: 3_600 },
  { unit: 'minute', length: 60 },
  { unit: 'second', length: 1 },
] as const;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** @param at RFC 3339 @param now milliseconds since the epoch */
export function ago(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  if (Number.isNaN(seconds)) return at;
  const away = Math.abs(seconds);
  const step = STEPS.find(({ length }) => away >= length);
  if (!step || away < 10) return 'just now';
  const count = Math.floor(away / step.length);
  if (count === 1 && 'before' in step) return seconds < 0 ? step.before : step.after;
  const words = `${number(count)} ${step.unit}${count === 1 ? '' : 's'}`;
  return seconds < 0 ? `${words} ago` : `in ${words}`;
}

/** "26 Nov 2026, 09:05:00 UTC+1". @param at RFC 3339 */
export function exact(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : `${dateAndClock(onReadersClock(time))} ${zoneOf(time)}`;
}

/** The same by the clock of UTC. */
export function exactInUtc(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : `${dateAndClock(time)} UTC`;
}

/** "09:05:00" */
export const clock = (time: Date): string => clockInUtc(onReadersClock(time));

/** The time at which a clock of UTC shows what the reader's clock shows at `time`. */
export const onReadersClock = (time: Date): Date => new Date(time.getTime() - time.getTimezoneOffset() * 60_000);

const dateAndClock = (time: Date): string => `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()}, ${clockInUtc(time)}`;

const clockInUtc = (time: Date): string => [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(twoDigits).join(':');

/** How far the reader's clock is from UTC then: "UTC", "UTC+1", "UTC-3:30". */
function zoneOf(time: Date): string {
  const behind = time.getTimezoneOffset();
  if (behind === 0) return 'UTC';
  const [hours, minutes] = [Math.floor(Math.abs(behind) / 60), Math.abs(behind) % 60];
  return `UTC${behind > 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${twoDigits(minutes)}`}`;
}

const twoDigits = (count: number): string => String(count).padStart(2, '0');

/** "340 ms", "2.4 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". @param ms milliseconds */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (big: number, small: number, units: [string, string]): string => `${big} ${units[0]}${small > 0 ? ` ${small} ${units[1]}` : ''}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, seconds % 60, ['min', 's']);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, minutes % 60, ['h', 'min']);
  return two(Math.floor(hours / 24), hours % 24, ['d', 'h']);
}

/** Between two instants; without an end: until now. */
export function lasted(from: string, to: string | null, until = now()): string {
  return duration((to === null ? until : Date.parse(to)) - Date.parse(from));
}
