// When the next nightly backup begins.
import type { BackupResult } from '#contract/platform/backup-result.ts';

const HOUR_MS = 3_600_000;
/** A start of the platform is not the time for it. */
const SETTLE_MS = 5 * 60_000;

export interface NextTime {
  now: Date;
  /** HH:MM of each day, by the machine's clock. */
  at: string;
  last: BackupResult | undefined;
}

/** At its time; sooner where the last one failed, or where a day passed without one. */
export function nextBackup({ now, at, last }: NextTime): Date {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const usual = new Date(now);
  usual.setHours(hours, minutes, 0, 0);
  if (usual <= now) usual.setDate(usual.getDate() + 1);
  const failed = last !== undefined && last.error !== null && last.last?.at !== last.at;
  const success = last?.last ? Date.parse(last.last.at) : undefined;
  const missed = success === undefined || now.getTime() - success > 25 * HOUR_MS;
  if (failed && last) return earlier(usual, new Date(Math.max(now.getTime(), Date.parse(last.at) + HOUR_MS)));
  return missed ? earlier(usual, new Date(now.getTime() + SETTLE_MS)) : usual;
}

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);
