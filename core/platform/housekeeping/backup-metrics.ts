// How the last backup ended, as what made it noted it in the state folder (stack/backup/last-result.ts).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import { BACKUP_RESULT_FILE, BackupResult } from '#contract/platform/backup-result.ts';
import { parseJson } from '#drivers/runtime/lines.ts';

/** Without a backup none of them has a value. */
export function backupMetrics(registry: Registry, stateDir: string): void {
  const gauge = (name: string, help: string, of: (result: BackupResult) => number | undefined): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        made.reset();
        made.remove();
        const text = await readFile(join(stateDir, BACKUP_RESULT_FILE), 'utf8').catch(() => '');
        const result = BackupResult.safeParse(parseJson(text));
        const value = result.success ? of(result.data) : undefined;
        if (value !== undefined) made.set(value);
      },
    });
  };
  gauge('svc_backup_failed', '1 when the last backup failed, or could not read all that it should hold.', ({ error }) => (error === null ? 0 : 1));
  gauge('svc_backup_last_success_seconds', 'When the last good backup began, in seconds since 1970.', ({ last }) => last ? Date.parse(last.at) / 1000 : undefined); // prettier-ignore
  gauge('svc_backup_bytes', 'What the last good backup holds.', ({ last }) => last?.bytes);
}
