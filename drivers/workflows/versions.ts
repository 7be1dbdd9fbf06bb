// Versions of the workflow code, as the workflow engine knows them: which is current, who runs them, what is
// pinned to them. Default driver: a Temporal client.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { WorkflowsUnavailable } from './port.ts';
import { serverError, status } from './server-error.ts';

/** One name for all workers of the platform. */
export const deploymentName = 'svc';

/** Workflow code that a worker has run. */
export interface WorkflowBuild {
  build_id: string;
  /** New workflows, and open ones that follow the code, go to it. */
  current: boolean;
  /** Milliseconds since the epoch; null: it is not current. */
  current_since: number | null;
  first_seen: number;
  /** Processes that asked for its tasks in the last five minutes. */
  workers: number;
  /** Open workflows that continue with this code only. */
  pinned: number;
}

/** Each call rejects with WorkflowsUnavailable where the server does not answer. */
export interface WorkflowVersions {
  /** False: the server knows no versions; older ones and those where they are switched off do not. */
  isSupported(): Promise<boolean>;
  /** Undefined when none was ever made current. */
  current(): Promise<string | undefined>;
  /** False: the server has not heard of a worker with this code. */
  makeCurrent(buildId: string): Promise<boolean>;
  /** The newest first. */
  builds(): Promise<WorkflowBuild[]>;
  /** Undefined: no worker has run it. */
  build(buildId: string): Promise<WorkflowBuild | undefined>;
  /**
   * Whether a process asked for its tasks in the last minutes: the server forgets one that is gone after
   * five.
   */
  isPolled(buildId: string): Promise<boolean>;
  /** Open workflows that continue with this code only. */
  countPinned(buildId: string): Promise<number>;
  /** Open workflows pinned to none of these versions. */
  pinnedElsewhere(buildIds: readonly string[], limit: number): Promise<PinnedWorkflow[]>;
  /** From now on it continues with the current code, whatever it was pinned to. */
  unpin(workflowId: string): Promise<void>;
}

interface PinnedWorkflow {
  workflowId: string;
  buildId: string;
}

/** TaskQueueType of its API. */
const WORKFLOW_TASKS = 1;
const BUILD = 'TemporalWorkerDeploymentVersion';
const pinned = "ExecutionStatus = 'Running' AND TemporalWorkflowVersioningBehavior = 'Pinned'";

/** `deadlineMs`: for each call. */
export function temporalVersions(client: Client, deadlineMs = 10_000): WorkflowVersions {
  const { workflowService, options } = client;
  const { namespace, identity } = options;
  const bounded = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await client.withDeadline(Date.now() + deadlineMs, call);
    } catch (error) {
      const code = serverError(error)?.code;
      throw code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED ? new WorkflowsUnavailable(error) : error;
    }
  };
  const unless = async <T>(codes: readonly number[], otherwise: T, call: () => Promise<T>): Promise<T> => {
    try {
      return await bounded(call);
    } catch (error) {
      const code = serverError(error)?.code;
      if (code !== undefined && codes.includes(code)) return otherwise;
      throw error;
    }
  };
  const describe = () =>
    unless(
      [status.NOT_FOUND, status.UNIMPLEMENTED, status.PERMISSION_DENIED],
      undefined,
      async () => (await workflowService.describeWorkerDeployment({ namespace, deploymentName })).workerDeploymentInfo ?? undefined,
    );
  const countPinned = (buildId: string): Promise<number> =>
    bounded(async () => (await client.workflow.count(`${pinned} AND ${BUILD} = '${deploymentName}:${buildId}'`)).count);

  /** Of workflow tasks. */
  const queuesOf = (buildId: string): Promise<string[]> =>
    unless([status.NOT_FOUND], [], async () => {
      const version = await workflowService.describeWorkerDeploymentVersion({ namespace, deploymentVersion: { deploymentName, buildId } });
      return (version.versionTaskQueues ?? []).flatMap(({ name, type }) => (isWorkflowType(type) && name ? [name] : []));
    });
  /** Identities of processes; a queue is divided, and each part knows its own. */
  const pollersOf = async (buildId: string): Promise<Set<string>> => {
    const pollers = new Set<string>();
    for (const queue of await queuesOf(buildId)) {
      const { workflowTaskQueuePartitions: parts } = await bounded(() => workflowService.listTaskQueuePartitions({ namespace, taskQueue: { name: queue } }));
      for (const { key } of parts ?? []) {
        const query = { namespace, taskQueue: { name: key ?? queue }, taskQueueType: WORKFLOW_TASKS };
        const polling = (await bounded(() => workflowService.describeTaskQueue(query))).pollers ?? [];
        for (const { identity: who, deploymentOptions: of } of polling)
          if (of?.buildId === buildId && of.deploymentName === deploymentName) pollers.add(who ?? '');
      }
    }
    return pollers;
  };

  type Known = Omit<WorkflowBuild, 'workers' | 'pinned'>;
  const known = async (): Promise<Known[]> => {
    const info = await describe();
    const current = info?.routingConfig?.currentDeploymentVersion?.buildId;
    return (info?.versionSummaries ?? []).flatMap(({ deploymentVersion: version, createTime, currentSinceTime }): Known[] => {
      const build_id = version?.buildId;
      if (!build_id) return [];
      const isCurrent = build_id === current;
      return [{ build_id, current: isCurrent, current_since: isCurrent ? milliseconds(currentSinceTime) : null, first_seen: milliseconds(createTime) }];
    });
  };
  /** Some questions to the server for each build. */
  const detailsOf = async (one: Known): Promise<WorkflowBuild> => {
    const [workers, open] = await Promise.all([pollersOf(one.build_id), countPinned(one.build_id)]);
    return { ...one, workers: workers.size, pinned: open };
  };

  return {
    isSupported: () =>
      unless([status.UNIMPLEMENTED, status.PERMISSION_DENIED], false, async () => {
        await workflowService.listWorkerDeployments({ namespace, pageSize: 1 });
        return true;
      }),
    current: async () => (await describe())?.routingConfig?.currentDeploymentVersion?.buildId || undefined,
    makeCurrent: (buildId) =>
      unless([status.NOT_FOUND, status.FAILED_PRECONDITION], false, async () => {
        await workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId, identity, ignoreMissingTaskQueues: true });
        return true;
      }),
    builds: async () => (await Promise.all((await known()).map(detailsOf))).sort((one, other) => other.first_seen - one.first_seen),
    build: async (buildId) => {
      const one = (await known()).find(({ build_id }) => build_id === buildId);
      return one && detailsOf(one);
    },
    isPolled: async (buildId) => (await pollersOf(buildId)).size > 0,
    countPinned,
    async pinnedElsewhere(buildIds, limit) {
      const others = buildIds.map((id) => ` AND ${BUILD} != '${deploymentName}:${id}'`).join('');
      const query = `${pinned} AND TemporalWorkerDeployment = '${deploymentName}'${others}`;
      const { executions } = await bounded(() => workflowService.listWorkflowExecutions({ namespace, pageSize: limit, query }));
      return executions.flatMap(({ execution, searchAttributes }) => {
        const version = searchAttributes?.indexedFields?.[BUILD];
        const name: unknown = version && defaultPayloadConverter.fromPayload(version);
        if (!execution?.workflowId || typeof name !== 'string') return [];
        return [{ workflowId: execution.workflowId, buildId: name.slice(deploymentName.length + 1) }];
      });
    },
    async unpin(workflowId) {
      await bounded(() =>
        workflowService.updateWorkflowExecutionOptions({
          namespace,
          workflowExecution: { workflowId },
          workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
          updateMask: { paths: ['versioning_override'] },
        }),
      );
    },
  };
}

/** Its API gives the name or the number. */
function isWorkflowType(type: unknown): boolean {
  return type === WORKFLOW_TASKS || type === 'TASK_QUEUE_TYPE_WORKFLOW';
}

function milliseconds(time: { seconds?: unknown } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1000;
}
