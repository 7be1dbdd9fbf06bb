// How the last backup of this installation ended: for `status`, and for the metrics, which read the same file
// (core/platform/housekeeping/backup-metrics.ts).
import { join } from 'node:path';
import { BACKUP_RESULT_FILE, BackupResult } from '#contract/platform/backup-result.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { readText, writeWhole } from '../files.ts';
import { sizeOf, timeOf } from './report.ts';

export const writeResult = (stateDir: string, result: BackupResult): void => writeWhole(join(stateDir, BACKUP_RESULT_FILE), `${JSON.stringify(result)}\n`);

export function readResult(stateDir: string): BackupResult | undefined {
  const parsed = BackupResult.safeParse(parseJson(readText(join(stateDir, BACKUP_RESULT_FILE)) ?? ''));
  return parsed.success ? parsed.data : undefined;
}

/** One line for people. */
export function describeResult(result: BackupResult | undefined): string {
  if (result === undefined) return 'No backup yet: npm run backup -- --to DIR (docs/backup.md)';
  const { at, to, error, last } = result;
  const good = last === null ? 'none succeeded yet' : `${last.id}, ${sizeOf(last.bytes)} in ${timeOf(last.took_ms)}`;
  return error === null ? `Last backup: ${good}, in ${to}` : `The backup of ${at} to ${to} failed: ${error} Last good one: ${good}.`;
}
