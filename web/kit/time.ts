// Times as people read them, in the language and the zone of their browser.
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

// Made when they are first asked for: that takes tens of milliseconds.
let relative: Intl.RelativeTimeFormat | undefined;
let zoned: Intl.DateTimeFormat | undefined;

/** @param at RFC 3339 @param now milliseconds since the epoch */
export function ago(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  if (Number.isNaN(seconds)) return at;
  relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length);
  if (!step) return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second');
  return relative.format(Math.trunc(seconds / step[1]), step[0]);
}

/** With seconds and the zone. */
export function exact(at: string): string {
  const time = Date.parse(at);
  zoned ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
  return Number.isNaN(time) ? at : zoned.format(time);
}

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
export function lasted(from: string, to: string | null, now = Date.now()): string {
  return duration((to === null ? now : Date.parse(to)) - Date.parse(from));
}
