// Composition of the worker: drivers, loops, then the task queues: loops do not need the engine.
import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '#activities/index.ts';
import { startListener } from '#core/jobs/index.ts';
import { followers } from '#core/followers.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { openDatabase } from '#core/kernel/database.ts';
import { requireKvm } from '#core/kernel/strangers.ts';
import { newId } from '#core/kernel/ids.ts';
import { measure, requireOwnKey, wantedBuild } from '#core/platform/index.ts';
import { onRepairedWorkflow } from '#core/outbox/index.ts';
import { onBrokenRules } from '#core/policy/index.ts';
import { startHeartbeat, stopDriving } from '#core/runs/index.ts';
import { domainDrivers } from '#drivers/certificates/environment.ts';
import { traceCollector } from '#drivers/traces/environment.ts';
import { openDrivers, openPayments, openTraces } from '#drivers/open.ts';
import { paymentsConfiguration } from '#drivers/payments/environment.ts';
import { mailConfiguration } from '#drivers/mail/environment.ts';
import { s3Configuration } from '#drivers/storage/environment.ts';
import { workflowBundle } from './bundle.ts';
import { encryptedConverter } from './converter.ts';
import { connectEngine } from './engine.ts';
import { serveHealth } from './health.ts';
import { calendarRounds, housekeeping } from './housekeeping.ts';
import { temporalLogger } from './logger.ts';
import { type Loop, runLoops } from './loops.ts';
import type { WorkerEnvironment } from './environment.ts';
import { createMetrics } from './metrics/metrics.ts';
import { databaseAnswers, retryWhileDatabaseDown } from './outage.ts';
import { freeAddress, temporalExporter, temporalMetrics } from './metrics/temporal.ts';
import { createWorkers } from './queues.ts';
import { startVersions } from './version/start.ts';

export interface RunningWorker {
  /** Resolves when everything has ended after `stop`. */
  done: Promise<void>;
  stop(): void;
}

export async function startWorker(env: WorkerEnvironment, log: Logger): Promise<RunningWorker> {
  const metricsAddress = await freeAddress();
  Runtime.install({ logger: temporalLogger(log), shutdownSignals: [], telemetryOptions: { metrics: { prometheus: temporalExporter(metricsAddress) } } });
  const [bundle, drivers, wakeups] = await Promise.all([
    workflowBundle(env.SVC_CACHE_DIR),
    openDrivers({
      stateDir: env.SVC_STATE_DIR,
      secretsDir: env.SVC_SECRETS_DIR,
      hostSocket: env.SVC_HOST_SOCKET,
      s3: s3Configuration(env),
      mail: mailConfiguration(env),
      databasesUrl: env.SVC_DATABASES_URL,
      llmLocalHosts: env.SVC_LLM_LOCAL_HOSTS,
      importLocalHosts: env.SVC_IMPORT_LOCAL_HOSTS,
      pushLocalHosts: env.SVC_PUSH_LOCAL_HOSTS,
      ...domainDrivers(env),
      traces: traceCollector(env),
      temporal: { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE, ...(env.TEMPORAL_API_KEY ? { apiKey: env.TEMPORAL_API_KEY } : {}) },
    }),
    startListener(env.DATABASE_URL),
  ]);
  const db = openDatabase('worker', env.DATABASE_URL);
  await requireOwnKey(db, drivers.vault);
  if (env.SVC_REQUIRE_KVM) requireKvm(db, drivers.runtime);
  const payments = await openPayments(paymentsConfiguration(env), { db, vault: drivers.vault });
  const deps = {
    db,
    drivers: { ...drivers, payments, wakeups, traces: openTraces(db, { log }) },
    followers,
    clock: Date.now,
    config: { baseUrl: env.SVC_BASE_URL, agentsDomain: env.SVC_AGENTS_DOMAIN, domains: { targets: env.SVC_DOMAINS_TARGETS } },
  };
  const activities = createActivities(deps, {
    node: env.SVC_NODE,
    buildsAtOnce: env.SVC_BUILDS_AT_ONCE,
    review: { advisoriesFile: env.SVC_ADVISORIES_FILE },
    calendar: calendarRounds,
    retention: { archiveAfterDays: env.SVC_EVENTS_ARCHIVE_DAYS, removeAfterDays: env.SVC_EVENTS_KEEP_DAYS },
  });
  onBrokenRules((broken) => log.error(broken, 'the rules of an account cannot be evaluated: they deny'));
  onRepairedWorkflow((repaired) => log.warn(repaired, 'a workflow was lost: it starts again, or its record has ended'));
  const metrics = createMetrics(() => measure(db), env.SVC_STATE_DIR);
  const loops = new AbortController();
  const ctx = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req') });
  // One of the loops takes over calls whose process is gone, and this process may die in turn.
  const stopHeartbeat = await startHeartbeat(db);
  const loop = (all: readonly Loop[]): Promise<void> => runLoops(all, log, loops.signal, metrics.loop);
  const looping = loop(housekeeping.map(({ run, ...one }) => ({ ...one, run: () => run(ctx(), { node: env.SVC_NODE }) })));

  const connection = await connectEngine({ address: env.TEMPORAL_ADDRESS, ...(env.TEMPORAL_API_KEY ? { apiKey: env.TEMPORAL_API_KEY } : {}) }, log);
  const queues = {
    connection,
    namespace: env.TEMPORAL_NAMESPACE,
    node: env.SVC_NODE,
    activities,
    dataConverter: encryptedConverter(drivers.vault),
    interceptors: { activity: [metrics.activities, retryWhileDatabaseDown(() => databaseAnswers(db))] },
  };
  const versions = await startVersions({
    server: drivers.workflowVersions,
    bundle,
    stateDir: env.SVC_STATE_DIR,
    wanted: () => wantedBuild(db),
    queues,
    log,
  });
  const workers = await createWorkers({ ...queues, workflows: { workflowBundle: bundle }, buildId: versions.buildId });
  const tending = loop([{ name: 'versions', everyMs: 30_000, run: () => versions.tend().then(() => metrics.draining(versions.draining().length)) }]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  const health = await serveHealth({
    socketPath: env.SVC_WORKER_SOCKET,
    port: env.SVC_WORKER_METRICS_PORT,
    hostSocket: env.SVC_HOST_SOCKET,
    workers,
    buildId: versions.buildId,
    metrics: async () => (await Promise.all([metrics.registry.metrics(), temporalMetrics(metricsAddress)])).join('\n'),
  });
  log.info({ node: env.SVC_NODE, build: versions.buildId }, 'ready');

  return {
    stop: () => {
      loops.abort();
      stopHeartbeat();
      for (const worker of workers) worker.shutdown();
      void versions.stop();
    },
    done: (async () => {
      await running;
      await versions.stop();
      await health.close();
      loops.abort();
      await Promise.all([looping, tending, stopDriving()]);
      await Promise.all([connection.close(), drivers.workflows.close(), wakeups.close(), db.destroy()]);
    })(),
  };
}
