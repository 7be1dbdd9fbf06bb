// What was counted by the hour, as bars of one length of time each.
import type { Output } from '../../../api/client.ts';

export type Uptime = Output<'agents', 'uptime'>;

export interface Bar {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  looks: number;
  well: number;
}

const HOUR_MS = 3_600_000;

/** `count` bars of `hours` each; the last one holds `now`. Hours in which nobody looked count nothing. */
export function barsOf({ now, hours }: Pick<Uptime, 'now' | 'hours'>, count: number, length: number): Bar[] {
  const step = length * HOUR_MS;
  const end = (Math.floor(Date.parse(now) / HOUR_MS) + 1) * HOUR_MS;
  const bars = Array.from({ length: count }, (_, at): Bar => ({ from: end - (count - at) * step, to: end - (count - at - 1) * step, looks: 0, well: 0 }));
  const first = end - count * step;
  for (const { hour, looks, well } of hours) {
    const bar = bars[Math.floor((Date.parse(hour) - first) / step)];
    if (!bar) continue;
    bar.looks += looks;
    bar.well += well;
  }
  return bars;
}

/** "99.98 %", never rounded up to 100; undefined where nobody looked. */
export function shareOf(parts: readonly { looks: number; well: number }[]): string | undefined {
  const looks = parts.reduce((sum, part) => sum + part.looks, 0);
  const well = parts.reduce((sum, part) => sum + part.well, 0);
  if (looks === 0) return undefined;
  return `${well === looks ? '100' : (Math.floor((well / looks) * 10_000) / 100).toFixed(2)} %`;
}

export interface Outage {
  from: string;
  /** null: it is not over. */
  to: string | null;
  reason: string;
}

/** The newest first. @param changes the newest first */
export function outagesOf(changes: Uptime['changes']): Outage[] {
  return changes.flatMap(({ at, is_well, reason }, place) => (is_well ? [] : [{ from: at, to: changes[place - 1]?.at ?? null, reason: reason ?? '' }]));
}
