import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { BACKUP_RESULT_FILE, type BackupResult } from '#contract/platform/backup-result.ts';
import { backupMetrics } from './backup-metrics.ts';

test('an installation without backups has no figures of them, so that no alert fires; then the last ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-metrics-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const registry = new Registry();
  backupMetrics(registry, folder);
  const values = async (): Promise<string[]> => (await registry.metrics()).split('\n').filter((line) => line.startsWith('svc_'));
  expect(await values()).toEqual([]);
  const last = { id: 'x', at: '2026-12-01T03:00:00.000Z', bytes: 5, took_ms: 1 };
  const result: BackupResult = { at: '2026-12-02T03:00:00.000Z', to: '/backups', error: 'The disk is full.', last };
  await writeFile(join(folder, BACKUP_RESULT_FILE), JSON.stringify(result));
  expect(await values()).toEqual(['svc_backup_failed 1', `svc_backup_last_success_seconds ${Date.parse(last.at) / 1000}`, 'svc_backup_bytes 5']);
});
