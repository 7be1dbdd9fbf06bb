// The nightly backup, where the operator wants one. starts: stack/tasks/nightly-backup.ts
import { join } from 'node:path';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import { nodeService } from './node.ts';

export function backupParts(settings: Settings): Part[] {
  const { SVC_BACKUP_TO: to, SVC_BACKUP_AT: at, repository, stateDir, cacheDir, inherited } = settings;
  if (to === undefined) return [];
  const places = { SVC_SUPERVISED: stateDir, SVC_STATE_DIR: stateDir, SVC_CACHE_DIR: cacheDir, NODE_COMPILE_CACHE: join(cacheDir, 'compiled') };
  return [
    nodeService(
      // With the settings of `up` itself: it finds the database as `npm run backup` does.
      { repository, file: 'stack/tasks/nightly-backup.ts', env: { ...inherited, ...places } },
      {
        name: 'backup',
        after: ['migrate'],
        address: `${to} at ${at}`,
        // How the last one ended is in `status` and in the metrics.
        health: () => Promise.resolve(),
        stop: { signal: 'SIGTERM', graceMs: 15_000 },
      },
    ),
  ];
}
