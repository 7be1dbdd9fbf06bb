// The platform's worker in a process of its own, to be killed: its queues and the loops that repair, with the
// test's database and Temporal. argv: JSON of what world.ts says of its place.
import { NativeConnection, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { createDeployActivities } from '#activities/deploy.ts';
import { createLongWorkActivities } from '#activities/long-work.ts';
import { createPlanActivities } from '#activities/plans.ts';
import { createProofActivities } from '#activities/proofs.ts';
import { createRunActivities } from '#activities/runs.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { followers } from '#core/followers.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { startListener } from '#core/jobs/wakeups.ts';
import { sweepOutbox } from '#core/outbox/dispatch.ts';
import { createPool } from '#db/pool.ts';
import { openDrivers, openTraces } from '#drivers/open.ts';
import { temporalLogger } from '#worker/logger.ts';
import { runLoops } from '#worker/loops.ts';
import { encryptedConverter } from '#worker/converter.ts';
import { createWorkers } from '#worker/queues.ts';
import type { WorkerPlace } from './world.ts';

// Safe: world.ts is who starts this.
const place = JSON.parse(process.argv[2] ?? '') as WorkerPlace;
const log = pino({ level: 'silent' });
Runtime.install({ logger: temporalLogger(log), shutdownSignals: [] });
const { address, namespace } = place.temporal;
const [connection, drivers, wakeups] = await Promise.all([
  NativeConnection.connect({ address }),
  openDrivers({
    stateDir: place.stateDir,
    secretsDir: place.secretsDir,
    hostSocket: place.hostSocket,
    temporal: place.temporal,
    llmLocalHosts: place.modelHosts,
  }),
  startListener(place.database),
]);
const db = createPool({ connectionString: place.database });
const deps = {
  db,
  drivers: { ...drivers, wakeups, traces: openTraces(db) },
  followers,
  clock: Date.now,
  config: { baseUrl: 'http://localhost:8080', agentsDomain: 'localhost:8080' },
};
const activities = {
  ...createDeployActivities({ ...deps, node: 'local' }),
  ...createWaitActivities(deps),
  ...createRunActivities(deps),
  ...createPlanActivities(deps),
  ...createProofActivities(deps),
  ...createLongWorkActivities(deps),
};
const workflows = { workflowBundle: { codePath: place.bundle } };
const dataConverter = encryptedConverter(drivers.vault);
const workers = await createWorkers({ connection, namespace, node: 'local', activities, workflows, dataConverter });
const running = Promise.all(workers.map((worker) => worker.run()));
const loops = new AbortController();
const ctx = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req') });
void runLoops([{ name: 'outbox', everyMs: 200, run: () => sweepOutbox(ctx()) }], log, loops.signal);
process.send?.('ready');
process.once('SIGTERM', () => {
  loops.abort();
  for (const worker of workers) worker.shutdown();
});
await running;
process.exit(0);
