// Tasks at the platform: written as they change, and found again by any version of the agent.
import { Task as TaskCodec, TaskState, taskStateToJSON, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { MAX_TASK_SECONDS } from '../../../../contract/run/protocol-tasks.ts';
import { type CallersTasks, contextKey, fits, identityOf, type StoredTask, type PushAddress, type TaskToWrite } from '../stored-tasks.ts';
import type { Executor } from '../executor.ts';
import type { RunPlatform } from '../platform.ts';
import { TaskWriter } from '../task-writer.ts';
import type { Caller } from './caller.ts';
import { TaskRecord } from './task.ts';
import { LIMITS, pageSizeOf, sinceOf, type Tasks, wantsState } from './tasks.ts';
import { fromAgent, TERMINAL } from './wire.ts';

export class TaskStore {
  readonly #platform: RunPlatform;
  readonly #agent: string;
  readonly #onError: (error: unknown) => void;

  constructor(platform: RunPlatform, agent: string, onError: (error: unknown) => void) {
    this.#platform = platform;
    this.#agent = agent;
    this.#onError = onError;
  }

  /** From now on the platform has it, too. */
  add(task: TaskRecord, executor: Executor, { origin, requestId }: Caller): void {
    const { runToken: token } = origin;
    if (token === undefined || !this.#platform.taskOf) return;
    const read = (): TaskToWrite => written(task, task.runId === undefined ? [] : executor.pending.open(task.runId).map(({ id }) => id));
    const writer = new TaskWriter({ task: this.#platform.taskOf({ token, requestId }, task.id), read, executor, onError: this.#onError });
    task.writer = writer;
    if (task.runId !== undefined) executor.endAfter(task.runId, () => writer.saved());
  }

  async find(id: string, caller: Caller): Promise<TaskRecord | undefined> {
    const task = await this.#of(caller)?.get(id);
    return task && restored(task, caller.owner.key);
  }

  /** Undefined: the platform stores none. `here`: what is newer in this process. */
  async list(request: ListTasksRequest, caller: Caller, here: Tasks): Promise<ListTasksResponse | undefined> {
    const store = this.#of(caller);
    if (!store) return undefined;
    const pageSize = pageSizeOf(request);
    const since = sinceOf(request);
    await Promise.all(here.unwritten(caller.owner.key).map(async ({ writer }) => await writer?.saved()));
    if (request.pageToken && !TOKEN.test(request.pageToken)) throw noToken();
    const query = {
      limit: pageSize,
      ...(request.pageToken && { cursor: request.pageToken }),
      ...(request.contextId && { contextKey: contextKey(request.contextId) }),
      ...(wantsState(request.status) && { status: taskStateToJSON(request.status) }),
      ...(since > Number.NEGATIVE_INFINITY && { changedAfter: new Date(since).toISOString() }),
    };
    const { items, next, total } = await store.list(query).catch((error: unknown) => {
      throw isBadCursor(error) ? noToken() : error;
    });
    const tasks = items.map((item) => here.get(item.id, caller.owner.key) ?? restored(item, caller.owner.key));
    return {
      tasks: tasks.map((task) => task.snapshot({ historyLength: request.historyLength, artifacts: request.includeArtifacts ?? false })),
      nextPageToken: next ?? '',
      pageSize,
      totalSize: total,
    };
  }

  async pushes(task: TaskRecord, caller: Caller): Promise<readonly PushAddress[]> {
    return (await this.#of(caller)?.pushes(task.id)) ?? [];
  }

  #of(caller: Caller): CallersTasks | undefined {
    if (caller.origin.runToken === undefined) return undefined;
    return this.#platform.caller(identityOf(this.#agent, caller)).tasks?.({ protocol: 'a2a', owner: caller.owner.key });
  }
}

/** As the platform writes them. */
const TOKEN = /^[\w-]{1,1024}$/;

function noToken(): RequestMalformedError {
  return new RequestMalformedError('pageToken is not one of ours');
}

function isBadCursor(error: unknown): boolean {
  return error instanceof Error && 'platformCode' in error && error.platformCode === 'bad_cursor';
}

function written(task: TaskRecord, questions: readonly string[]): TaskToWrite {
  const whole = JSON.stringify(TaskCodec.toJSON(task.snapshot()));
  // Its artifacts are the most of it; without them another version at least says how it ended.
  const snapshot = fits(whole) ? whole : JSON.stringify(TaskCodec.toJSON(task.snapshot({ historyLength: 0, artifacts: false })));
  return {
    protocol: 'a2a',
    owner: task.owner,
    contextKey: contextKey(task.contextId),
    status: taskStateToJSON(task.state),
    over: task.over,
    questions,
    snapshot,
    retentionSeconds: task.over ? LIMITS.retentionMs / 1000 : MAX_TASK_SECONDS,
  };
}

const ENDED = {
  succeeded: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
} as const;

/** A run that ended without a word of its machine is over all the same. */
function restored({ snapshot, runId, endedAs }: StoredTask, owner: string): TaskRecord {
  const task: Task = TaskCodec.fromJSON(JSON.parse(snapshot));
  const isOver = task.status !== undefined && TERMINAL.has(task.status.state);
  if (endedAs !== null && !isOver) {
    const text = 'the run ended with its machine, and its result is not known';
    task.status = { state: ENDED[endedAs], message: fromAgent(task, text), timestamp: task.status?.timestamp ?? new Date().toISOString() };
  }
  return TaskRecord.restored(task, owner, runId);
}
