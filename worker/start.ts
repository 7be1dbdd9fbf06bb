// Composition of the worker: drivers, three task queues, loops.
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createDeployActivities } from '../activities/deploy.ts';
import { createPlanActivities } from '../activities/plans.ts';
import { createRunActivities } from '../activities/runs.ts';
import { createRetentionActivities } from '../activities/retention.ts';
import { createScheduleActivities } from '../activities/schedules.ts';
import { createWaitActivities } from '../activities/waits.ts';
import { abandonDeployment } from '../core/agents/deployment/abandon.ts';
import { noteHealth } from '../core/agents/deployment/note-health.ts';
import { reapHost } from '../core/agents/deployment/reap.ts';
import type { Ctx } from '../core/ctx.ts';
import { expire } from '../core/housekeeping/expire.ts';
import { measure } from '../core/housekeeping/measure.ts';
import { newId } from '../core/ids.ts';
import { sweepUses } from '../core/money/llm/meter.ts';
import { sweepBlobs } from '../core/workspace/blob/sweep.ts';
import { reconcileJobs } from '../core/jobs/reconcile.ts';
import { startListener } from '../core/jobs/wakeups.ts';
import { abandonPlan } from '../core/runs/plan/cancel.ts';
import { abandonRun } from '../core/runs/run/abandon.ts';
import { ensureRetention } from '../core/runs/retention/ensure.ts';
import { reconcileSchedules } from '../core/runs/schedule/reconcile.ts';
import { syncSchedules } from '../core/runs/schedule/sync.ts';
import { keepSigning } from '../core/agents/call/open-calls.ts';
import { sweepLostCalls } from '../core/agents/call/lost-calls.ts';
import { sweepRuns } from '../core/runs/run/sweep.ts';
import { sweepSandboxes } from '../core/runs/sandbox/remove.ts';
import { reconcileWaits } from '../core/runs/wait/reconcile.ts';
import { sweepOutbox } from '../core/outbox/dispatch.ts';
import { createPool } from '../db/pool.ts';
import { openDrivers } from '../drivers/open.ts';
import { s3Configuration } from '../drivers/storage/environment.ts';
import { workflowBundle } from './bundle.ts';
import { serveHealth } from './health.ts';
import { temporalLogger } from './logger.ts';
import { runLoops } from './loops.ts';
import type { WorkerEnvironment } from './environment.ts';
import { createMetrics } from './metrics/metrics.ts';
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
  const [bundle, connection, drivers, wakeups] = await Promise.all([
    workflowBundle(env.SVC_CACHE_DIR),
    NativeConnection.connect({ address: env.TEMPORAL_ADDRESS, ...(env.TEMPORAL_API_KEY ? { apiKey: env.TEMPORAL_API_KEY } : {}) }),
    openDrivers({
      stateDir: env.SVC_STATE_DIR,
      secretsDir: env.SVC_SECRETS_DIR,
      hostSocket: env.SVC_HOST_SOCKET,
      s3: s3Configuration(env),
      llmLocalHosts: env.SVC_LLM_LOCAL_HOSTS,
      temporal: { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE, ...(env.TEMPORAL_API_KEY ? { apiKey: env.TEMPORAL_API_KEY } : {}) },
    }),
    startListener(env.DATABASE_URL),
  ]);
  const db = createPool({ connectionString: env.DATABASE_URL, applicationName: 'svc-worker' });
  const deps = {
    db,
    drivers: { ...drivers, wakeups },
    clock: Date.now,
    config: { baseUrl: env.SVC_BASE_URL, agentsDomain: env.SVC_AGENTS_DOMAIN },
  };
  const activities = {
    ...createDeployActivities({ ...deps, node: env.SVC_NODE, buildsAtOnce: env.SVC_BUILDS_AT_ONCE }),
    ...createWaitActivities(deps),
    ...createRunActivities(deps),
    ...createPlanActivities(deps),
  };
  const retention = { archiveAfterDays: env.SVC_EVENTS_ARCHIVE_DAYS, removeAfterDays: env.SVC_EVENTS_KEEP_DAYS };
  const calendar = { ...createScheduleActivities(deps), ...createRetentionActivities(deps, retention) };
  const metrics = createMetrics(() => measure(db));
  const queues = {
    connection,
    namespace: env.TEMPORAL_NAMESPACE,
    node: env.SVC_NODE,
    activities: { ...activities, ...calendar },
    interceptors: { activity: [metrics.activities] },
  };
  const versions = await startVersions({ client: drivers.workflows.client, bundle, stateDir: env.SVC_STATE_DIR, queues, log });
  const workers = await createWorkers({ ...queues, workflows: { workflowBundle: bundle }, buildId: versions.buildId });

  const loops = new AbortController();
  const ctx = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req') });
  // One of the loops takes over calls whose process is gone, and this process may die in turn.
  const silent = await keepSigning(db);
  const looping = runLoops(
    [
      { name: 'outbox', everyMs: 1_000, run: () => sweepOutbox(ctx()) },
      { name: 'reconcile', everyMs: 30_000, run: () => reconcileJobs(ctx(), { deploy: abandonDeployment, run: abandonRun, dag: abandonPlan }) },
      { name: 'waits', everyMs: 30_000, run: () => reconcileWaits(ctx()) },
      { name: 'calls', everyMs: 15_000, run: () => sweepLostCalls(ctx()) },
      { name: 'runs', everyMs: 60_000, run: () => sweepRuns(ctx()) },
      { name: 'schedules', everyMs: 2_000, run: () => syncSchedules(ctx()) },
      { name: 'calendar', everyMs: 120_000, run: () => reconcileSchedules(ctx()) },
      { name: 'retention', everyMs: 3_600_000, run: () => ensureRetention(ctx()) },
      { name: 'sandboxes', everyMs: 300_000, run: () => sweepSandboxes(ctx()) },
      { name: 'expire', everyMs: 600_000, run: () => expire(db, Date.now()) },
      { name: 'models', everyMs: 300_000, run: () => sweepUses(ctx()) },
      { name: 'blobs', everyMs: 600_000, run: () => sweepBlobs(ctx()) },
      { name: 'health', everyMs: 5_000, run: () => noteHealth(ctx(), env.SVC_NODE) },
      { name: 'reap', everyMs: 60_000, run: () => reapHost(ctx(), env.SVC_NODE) },
      { name: 'versions', everyMs: 30_000, run: () => versions.tend().then(() => metrics.draining(versions.draining().length)) },
    ],
    log,
    loops.signal,
    metrics.loop,
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  const health = await serveHealth({
    socketPath: env.SVC_WORKER_SOCKET,
    port: env.SVC_WORKER_METRICS_PORT,
    hostSocket: env.SVC_HOST_SOCKET,
    workers,
    metrics: async () => (await Promise.all([metrics.registry.metrics(), temporalMetrics(metricsAddress)])).join('\n'),
  });
  await versions.makeCurrent();
  log.info({ node: env.SVC_NODE }, 'ready');

  return {
    stop: () => {
      loops.abort();
      silent();
      for (const worker of workers) worker.shutdown();
      void versions.stop();
    },
    done: (async () => {
      await running;
      await versions.stop();
      await health.close();
      loops.abort();
      await looping;
      await Promise.all([connection.close(), drivers.workflows.close(), wakeups.close(), db.destroy()]);
    })(),
  };
}
