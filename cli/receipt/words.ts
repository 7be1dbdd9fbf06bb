// What the commands about evidence say in the same words.
import { UsageError } from '../lib/errors.ts';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** An instant of the command line: RFC 3339, a day, or so long ago: 90m, 24h, 7d, 4w. @throws UsageError */
export function instantOf(option: string, text: string, now: number): string {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined && isUnit(unit)) return new Date(now - Number(count) * UNITS[unit]).toISOString();
  const at = /^\d{4}-\d\d-\d\d(?:T.+)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new UsageError(
      `${option} must be an instant such as 2026-11-20T12:00:00Z, a day such as 2026-11-20, or a time ago such as 90m, 24h, 7d, 4w, not "${text}".`,
    );
  return new Date(at).toISOString();
}

const isUnit = (unit: string | undefined): unit is keyof typeof UNITS => unit !== undefined && unit in UNITS;

export const shortTime = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)}`;

export const ms = (value: number | null): string => (value === null ? '-' : value < 1_000 ? `${value} ms` : `${(value / 1_000).toFixed(1)} s`);
