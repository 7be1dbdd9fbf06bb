// The task queues of one host: workflows with quick activities, builds, and what must run where a machine lives.
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { DeployActivities } from '../activities/deploy.ts';
import type { WaitActivities } from '../activities/waits.ts';

export interface QueueOptions {
  connection: NativeConnection;
  namespace: string;
  /** Name of this host; its queue is `runtime:<node>`. */
  node: string;
  activities: DeployActivities & Partial<WaitActivities>;
  /** The bundle made ahead, or the path of the sources. */
  workflows: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>;
}

// Two cores: few workflows cached, activities bounded (the defaults are derived from the heap and are known to run out of it).
const control = { maxCachedWorkflows: 200, maxConcurrentWorkflowTaskExecutions: 20, maxConcurrentActivityTaskExecutions: 20 };
const concurrentBuilds = 1;
const concurrentStarts = 4;
const common = {
  shutdownGraceTime: '5s',
  shutdownForceTime: '15s',
  // A cancellation reaches an activity with the answer to a heartbeat; the default holds heartbeats back for most of their timeout.
  maxHeartbeatThrottleInterval: '2s',
} as const;

export async function createWorkers({ connection, namespace, node, activities, workflows }: QueueOptions): Promise<Worker[]> {
  const shared = { connection, namespace, activities, ...common };
  return Promise.all([
    Worker.create({ ...shared, ...workflows, ...control, taskQueue: 'control' }),
    Worker.create({ ...shared, taskQueue: 'builds', maxConcurrentActivityTaskExecutions: concurrentBuilds }),
    Worker.create({ ...shared, taskQueue: `runtime:${node}`, maxConcurrentActivityTaskExecutions: concurrentStarts }),
  ]);
}
