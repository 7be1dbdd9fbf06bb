// The process that serves imported agents: calls of API and worker come in at its socket, and leave as calls
// of agents that run elsewhere.
import { flushCompileCache } from 'node:module';
import { routeChannel } from '#core/agents/route/changed.ts';
import { startListener } from '#core/jobs/wakeups.ts';
import { followers } from '#core/followers.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { openDatabase } from '#core/kernel/database.ts';
import { requireOwnKey } from '#core/platform/installation/key.ts';
import { openLogger } from '#drivers/log/logger.ts';
import { keepRunning } from '#drivers/log/uncaught.ts';
import { openDrivers, openTraces } from '#drivers/open.ts';
import { importsSocket } from '#drivers/runtime/sockets.ts';
import { readEnvironment } from './environment.ts';
import { startImportServer } from './server.ts';

const env = readEnvironment(process.env);
const log = openLogger({ part: 'imports', level: env.SVC_LOG_LEVEL });
const db = openDatabase('imports', env.DATABASE_URL);
const [drivers, wakeups] = await Promise.all([
  openDrivers({
    stateDir: env.SVC_STATE_DIR,
    secretsDir: env.SVC_SECRETS_DIR,
    hostSocket: env.SVC_HOST_SOCKET,
    temporal: { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE },
    importLocalHosts: env.SVC_IMPORT_LOCAL_HOSTS,
  }),
  startListener(env.DATABASE_URL, [routeChannel]),
]);
await requireOwnKey(db, drivers.vault);
const ctx: Ctx = {
  actor: { kind: 'platform', service: 'imports' },
  config: { baseUrl: env.SVC_BASE_URL, agentsDomain: env.SVC_AGENTS_DOMAIN },
  db,
  drivers: { ...drivers, wakeups, traces: openTraces(db) },
  followers,
  clock: Date.now,
  requestId: 'imports',
};
const server = await startImportServer(ctx, log, importsSocket(env.SVC_STATE_DIR));
wakeups.on(routeChannel, (agentName) => server.changed(agentName));
keepRunning(log);
log.info('ready');
flushCompileCache();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'stopping');
    void server
      .close()
      .then(() => Promise.all([wakeups.close(), drivers.remote.close(), drivers.agentPools.close(), drivers.workflows.close()]))
      .then(() => db.destroy())
      .then(() => process.exit(0));
  });
}
