// A change of the clock that touches a schedule, in a sentence. Pure.
import type { ClockChange } from './due-times.ts';

export function clockNote({ kind, clock, count, runs }: Omit<ClockChange, 'at'>, timeZone: string): string {
  const shown = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' });
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' }).format(clock);
  const time = new Date(clock).toISOString().slice(11, 16);
  const times = count === 1 ? time : `${time} and ${count - 1} more`;
  const [first] = runs;
  if (kind === 'repeated') return `${day}: ${times} ${count === 1 ? 'comes' : 'come'} twice; ${runs.length === 2 ? 'both run' : 'only the first runs'}.`;
  if (first === undefined) return `${day}: the clock skips ${times}; nothing runs for ${count === 1 ? 'it' : 'them'}.`;
  return `${day}: the clock skips ${times}; runs once at ${shown.format(first)}.`;
}

/** As the API answers it. */
export function wireClockNote(change: { kind: ClockChange['kind']; local_time: string; count: number; runs_at: readonly string[] }, timeZone: string): string {
  const { kind, local_time, count, runs_at } = change;
  return clockNote({ kind, clock: Date.parse(`${local_time}Z`), count, runs: runs_at.map((at) => Date.parse(at)) }, timeZone);
}
