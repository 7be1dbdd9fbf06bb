// The programs of the platform itself: host, worker and API, and the tasks that prepare database and
// namespace and say which workflow code is current. starts: stack/tasks/migrate.ts stack/tasks/namespace.ts
// stack/tasks/set-current.ts host/main.ts worker/main.ts imports/main.ts api/main.ts
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { importsSocket } from '#drivers/runtime/sockets.ts';
import { ensureDashboard } from '#web/build/ensure.ts';
import { partEnvironment, baseUrl, type Addresses } from '../environment.ts';
import { answersHttp } from '../health.ts';
import type { Part } from '../part.ts';
import { isFree, portTaken } from '../ports.ts';
import { places, type Settings } from '../settings.ts';
import { dashboardFolder } from '../setup/dashboard.mjs';
import { nodeService, nodeTask } from './node.ts';

/** Belongs to the worker: where that is started, this is. */
export const SET_CURRENT = 'set-current';

/** The worker renews its file every few seconds (worker/main.ts). */
const signOfLifeMs = 20_000;

export function platformParts(settings: Settings, addresses: Addresses): Part[] {
  const { hostSocket, workerReady, workerSocket } = places(settings.stateDir);
  const env = partEnvironment(settings, addresses);
  const language = settings.inherited.SVC_LANGUAGE;
  const dashboard = settings.inherited.SVC_DASHBOARD_DIR ?? dashboardFolder(settings.cacheDir, language);
  const program = (file: string, more: Record<string, string> = {}) => ({ repository: settings.repository, file, env: { ...env, ...more } });
  return [
    nodeTask(program('stack/tasks/migrate.ts'), { name: 'migrate', after: ['postgres'] }),
    nodeTask(program('stack/tasks/namespace.ts'), { name: 'namespace', after: ['temporal'] }),
    nodeService(program('host/main.ts'), {
      name: 'host',
      after: [],
      address: hostSocket,
      health: () => answersHttp({ socketPath: hostSocket, path: '/health' }),
      // It suspends its virtual machines to disk before it ends; killed, it leaves them running for its
      // successor.
      stop: { signal: 'SIGTERM', graceMs: 45_000 },
    }),
    nodeService(program('worker/main.ts', { SVC_READY_FILE: workerReady, SVC_WORKER_SOCKET: workerSocket, ...databasesUrl(settings, addresses) }), {
      name: 'worker',
      after: ['migrate', 'namespace', 'host'],
      address: `namespace ${env.TEMPORAL_NAMESPACE} at ${env.TEMPORAL_ADDRESS}`,
      prepare: () => rm(workerReady, { force: true }),
      health: async () => {
        const { mtimeMs } = statSync(workerReady, { throwIfNoEntry: false }) ?? {};
        if (mtimeMs === undefined) throw new Error('it has not begun to take work');
        const quiet = Date.now() - mtimeMs;
        if (quiet > signOfLifeMs) throw new Error(`it has given no sign of life for ${Math.round(quiet / 1000)} s`);
      },
      stop: { signal: 'SIGTERM', graceMs: 30_000 },
    }),
    // Once for each `up`: a worker that is started again, with whatever code, changes nothing.
    nodeTask(program('stack/tasks/set-current.ts', { SVC_WORKER_SOCKET: workerSocket }), { name: SET_CURRENT, after: ['worker'], tells: true }),
    nodeService(program('imports/main.ts'), {
      name: 'imports',
      after: ['migrate'],
      address: importsSocket(settings.stateDir),
      health: () => answersHttp({ socketPath: importsSocket(settings.stateDir), path: '/health' }),
      stop: { signal: 'SIGTERM', graceMs: 15_000 },
    }),
    nodeService(program('api/main.ts', { SVC_DASHBOARD_DIR: dashboard }), {
      name: 'api',
      after: ['migrate'],
      address: baseUrl(settings),
      prepare: async () => {
        // Set-up has built it, unless the cache was emptied since or the sources have changed.
        if (settings.inherited.SVC_DASHBOARD_DIR === undefined) await ensureDashboard(dashboard, language);
        if (!(await isFree(settings.SVC_PORT))) throw new Error(portTaken(settings.SVC_PORT, 'SVC_PORT'));
      },
      health: () => answersHttp({ port: settings.SVC_PORT, path: '/healthz' }),
      stop: { signal: 'SIGTERM', graceMs: 15_000 },
    }),
  ];
}

/** Databases of accounts are made on our own PostgreSQL; on one of the operator's only where they say so. */
function databasesUrl(settings: Settings, { databaseUrl }: Addresses): Record<string, string> {
  return settings.inherited.SVC_DATABASES_URL === undefined && settings.DATABASE_URL === undefined ? { SVC_DATABASES_URL: databaseUrl } : {};
}
