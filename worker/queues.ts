// The task queues of one host: workflows with row writes, long work, deliveries to machines of others, runs,
// builds, and what must run where a machine lives. Which activity is on which queue: workflows/queues.ts.
import type { DataConverter } from '@temporalio/common';
import { type NativeConnection, Worker, type WorkerInterceptors, type WorkerOptions } from '@temporalio/worker';
import type { DeployActivities } from '#activities/deploy.ts';
import type { RunActivities } from '#activities/runs.ts';
import type { WaitActivities } from '#activities/waits.ts';
import { deploymentName } from '#drivers/workflows/versions.ts';
import { endRetries } from './failures.ts';
import { fairShares } from './fair-shares.ts';

export interface QueueOptions {
  connection: NativeConnection;
  namespace: string;
  /** Name of this host; its queue is `runtime:<node>`. */
  node: string;
  activities: DeployActivities & Partial<WaitActivities> & Partial<RunActivities>;
  /** The bundle made ahead, or the path of the sources. */
  workflows: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>;
  /** Names the code of these workflows; absent where the server knows no versions. */
  buildId?: string | undefined;
  interceptors?: WorkerInterceptors;
  /** As the client's that starts workflows. */
  dataConverter?: DataConverter;
}

/**
 * As many as the server says, by what waits: an idle queue costs two open calls, a full one is emptied by
 * more than ten.
 */
const pollers = { type: 'autoscaling', minimum: 2, initial: 5, maximum: 100 } as const;
// Two cores: few workflows cached, activities bounded (the defaults are derived from the heap and are known
// to run out of it).
const control = {
  workflowTaskPollerBehavior: pollers,
  maxCachedWorkflows: 200,
  maxConcurrentWorkflowTaskExecutions: 20,
  maxConcurrentActivityTaskExecutions: 20,
  // How long a workflow waits for the worker that had it in memory, when that one was killed.
  stickyQueueScheduleToStartTimeout: '3s',
};
/**
 * Who may build is decided before (core/deploys/deployment/line.ts); the others are restarts, which build
 * nothing and must not wait for those that do.
 */
const concurrentBuilds = 32;
const concurrentStarts = 4;
/** Runs that work at this moment: each costs a connection to its agent, those that wait cost nothing. */
const concurrentRuns = 500;
/**
 * Most of it waits for a model, a machine or its turn (worker/fair-shares.ts): the shares of accounts are the
 * limit, not the slots.
 */
const concurrentLongWork = 1_000;
const concurrentDeliveries = 1_000;
/**
 * Cancelling a run notifies its agent, not this activity: here a heartbeat only shows that the worker lives,
 * and there are many.
 */
const runHeartbeats = { maxHeartbeatThrottleInterval: '5s' } as const;
const common = {
  activityTaskPollerBehavior: pollers,
  shutdownGraceTime: '5s',
  shutdownForceTime: '15s',
  // A cancellation reaches an activity with the answer to a heartbeat; the default holds heartbeats back for
  // most of their timeout.
  maxHeartbeatThrottleInterval: '2s',
} as const;

export async function createWorkers(options: QueueOptions): Promise<Worker[]> {
  const { connection, namespace, node, activities, dataConverter } = options;
  const shared = { connection, namespace, activities, ...common, ...(dataConverter && { dataConverter }), interceptors: intercepted(options) };
  const inShares = (): WorkerInterceptors => ({ ...shared.interceptors, activity: [fairShares(), ...shared.interceptors.activity] });
  return Promise.all([
    createControlWorker(options),
    Worker.create({ ...shared, taskQueue: 'long-work', interceptors: inShares(), maxConcurrentActivityTaskExecutions: concurrentLongWork }),
    Worker.create({ ...shared, taskQueue: 'deliveries', interceptors: inShares(), maxConcurrentActivityTaskExecutions: concurrentDeliveries }),
    Worker.create({ ...shared, taskQueue: 'builds', maxConcurrentActivityTaskExecutions: concurrentBuilds }),
    Worker.create({ ...shared, ...runHeartbeats, taskQueue: 'runs', maxConcurrentActivityTaskExecutions: concurrentRuns }),
    Worker.create({ ...shared, taskQueue: `runtime:${node}`, maxConcurrentActivityTaskExecutions: concurrentStarts }),
  ]);
}

/**
 * Workflows and row writes. With a build id it takes what is pinned to that code, and what follows the code
 * while it is the current one.
 */
export function createControlWorker({ workflows, buildId, ...options }: QueueOptions): Promise<Worker> {
  const version: Pick<WorkerOptions, 'workerDeploymentOptions'> =
    buildId === undefined
      ? {}
      : {
          workerDeploymentOptions: {
            version: { deploymentName, buildId },
            useWorkerVersioning: true,
            // A workflow that says nothing follows the code: its changes are guarded by patched() and by
            // recorded histories.
            defaultVersioningBehavior: 'AUTO_UPGRADE',
          },
        };
  const { connection, namespace, activities, dataConverter } = options;
  const converted = { ...common, ...(dataConverter && { dataConverter }) };
  const interceptors = intercepted(options);
  return Worker.create({ connection, namespace, activities, interceptors, ...converted, ...workflows, ...control, ...version, taskQueue: 'control' });
}

function intercepted({ interceptors = {} }: Pick<QueueOptions, 'interceptors'>) {
  return { ...interceptors, activity: [endRetries(), ...(interceptors.activity ?? [])] };
}
