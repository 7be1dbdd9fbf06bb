// Temporal as the workflow engine. Every call is bounded; starting is idempotent by workflow id.
import {
  Client,
  Connection,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, defineSearchAttributeKey, type PayloadCodec, TypedSearchAttributes } from '@temporalio/common';
import { type Bounded, whenCrowded } from './crowded.ts';
import { forget } from './forget.ts';
import { createKeyedLimiter } from './keyed-limiter.ts';
import { stateNamed, workflowList } from './temporal-list.ts';
import { serverError } from './server-error.ts';
import { type Backlog, type StartWorkflow, UpdateRefused, WorkflowGone, type WorkflowStarter, WorkflowsUnavailable, type WorkflowState } from './port.ts';

export interface TemporalOptions {
  address: string;
  namespace: string;
  apiKey?: string;
  tls?: boolean;
  /** Encrypts what workflows are given and answer. Absent: the engine can read it. */
  codec?: PayloadCodec;
}

const callDeadlineMs = 10_000;
/** TaskQueueType of its API. */
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;

/** Connects on first use, so a process starts also while Temporal is down. */
export function temporalWorkflows(options: TemporalOptions): WorkflowStarter & { close(): Promise<void>; client: Client } {
  const connection = Connection.lazy({
    address: options.address,
    // The client's own retries continue after the connection is closed, and then end the process; the outbox
    // and the loops try again anyway.
    interceptors: [],
    ...(options.apiKey ? { apiKey: options.apiKey } : {}),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  const client = new Client({ connection, namespace: options.namespace, ...(options.codec && { dataConverter: { payloadCodecs: [options.codec] } }) });
  const bounded = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + callDeadlineMs, call);
  const describe = (workflowId: string): Promise<WorkflowState> =>
    bounded(async () => {
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        return stateNamed(status.name);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'absent';
        throw error;
      }
    });
  /** A message to a workflow that has ended is moot; to one that does not exist yet, it must come again. */
  const unlessEnded = async (workflowId: string, call: () => Promise<unknown>): Promise<void> => {
    try {
      await bounded(call);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError && (await describe(workflowId)) !== 'absent') return;
      throw error;
    }
  };

  const updates = createKeyedLimiter();

  return {
    client,
    describe,
    ...workflowList(client, bounded),
    start: (workflow) => start(client, bounded, workflow),
    signal: (workflowId, name, args) => unlessEnded(workflowId, () => client.workflow.getHandle(workflowId).signal(name, ...args)),
    async update(workflowId, name, updateId, input) {
      const send = () => bounded(() => client.workflow.getHandle(workflowId).executeUpdate<unknown, [unknown]>(name, { updateId, args: [input] }));
      try {
        return await updates.run(
          workflowId,
          () => whenCrowded(send),
          callDeadlineMs,
          () => new WorkflowsUnavailable('too many at once'),
        );
      } catch (error) {
        throw updateError(workflowId, error);
      }
    },
    cancel: (workflowId) => unlessEnded(workflowId, () => client.workflow.getHandle(workflowId).cancel()),
    forget: (owner, options = {}) => forget(client, bounded, owner, options),
    async queue(name) {
      const backlog = (type: number): Promise<Backlog> => bounded(() => backlogOf(client, name, type));
      const [workflows, activities] = await Promise.all([backlog(WORKFLOW_TASKS), backlog(ACTIVITY_TASKS)]);
      return { name, workflows, activities };
    },
    ping: () => bounded(async () => void (await connection.workflowService.getSystemInfo({}))),
    close: () => connection.close(),
  };
}

async function backlogOf(client: Client, name: string, type: number): Promise<Backlog> {
  const { stats, pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: type,
    reportStats: true,
  });
  return {
    waiting: Number(stats?.approximateBacklogCount ?? 0),
    oldest_seconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
    workers: pollers?.length ?? 0,
  };
}

async function start(client: Client, bounded: Bounded, w: StartWorkflow): Promise<void> {
  const attributes = Object.entries(w.searchAttributes).map(([name, value]) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value }));
  try {
    await bounded(() =>
      client.workflow.start(w.type, {
        workflowId: w.workflowId,
        taskQueue: w.taskQueue,
        args: w.args,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        typedSearchAttributes: new TypedSearchAttributes(attributes),
        ...(w.summary !== undefined && { staticSummary: w.summary }),
        ...(w.details !== undefined && { staticDetails: w.details }),
        // Its activities inherit it: accounts share the slots of workers by it.
        priority: { fairnessKey: w.searchAttributes.SvcOwner },
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

function updateError(workflowId: string, error: unknown): unknown {
  if (error instanceof WorkflowUpdateFailedError) {
    const { cause } = error;
    return cause instanceof ApplicationFailure ? new UpdateRefused(cause.type ?? '', cause.message) : error;
  }
  if (error instanceof WorkflowNotFoundError) return new WorkflowGone(workflowId);
  const late = error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || error instanceof ServiceError || serverError(error) !== undefined;
  return late ? new WorkflowsUnavailable(error) : error;
}
