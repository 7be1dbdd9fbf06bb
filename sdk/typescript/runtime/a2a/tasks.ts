// The tasks of this process (the platform's are in task-store.ts): bounded in number, bytes and age, which
// the package's store in memory is not. What is over goes first; what runs is never thrown away.
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { TaskState, type ListTasksRequest, type ListTasksResponse } from '@a2a-js/sdk';
import { textFromBase64Url } from '../../../../contract/wire/base64url.ts';
import { AgentBusy } from '../../authoring/errors.ts';
import type { TaskRecord } from './task.ts';

export const LIMITS = { count: 1000, bytes: 64 * 1024 * 1024, retentionMs: 3_600_000 } as const;
const PAGE = 50;
const MAX_PAGE = 100;

export class Tasks {
  readonly #tasks = new Map<string, TaskRecord>();

  /** @throws AgentBusy when there is no room for one more that runs */
  add(task: TaskRecord): void {
    this.#tidy();
    if (this.#tasks.size >= LIMITS.count) throw new AgentBusy(5);
    this.#tasks.set(task.id, task);
  }

  drop({ id }: TaskRecord): void {
    this.#tasks.delete(id);
  }

  /** Another caller's task is none. */
  get(id: string, owner: string): TaskRecord | undefined {
    const task = this.#tasks.get(id);
    if (task?.owner !== owner || this.#isStale(task)) return undefined;
    return task;
  }

  /** Newest first. */
  list(request: ListTasksRequest, owner: string): ListTasksResponse {
    const pageSize = pageSizeOf(request);
    const since = sinceOf(request);
    const tasks = [...this.#tasks.values()]
      .filter((task) => task.owner === owner && !this.#isStale(task) && task.updatedAt > since)
      .filter((task) => (!request.contextId || task.contextId === request.contextId) && (!wantsState(request.status) || task.state === request.status))
      .toSorted(newestFirst);
    const from = request.pageToken ? tasks.findIndex((task) => newestFirst(cursor(request.pageToken), task) < 0) : 0;
    const rest = from < 0 ? [] : tasks.slice(from);
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    return {
      tasks: page.map((task) => task.snapshot({ historyLength: request.historyLength, artifacts: request.includeArtifacts ?? false })),
      nextPageToken: last && rest.length > page.length ? Buffer.from(JSON.stringify([last.updatedAt, last.id])).toString('base64url') : '',
      pageSize,
      totalSize: tasks.length,
    };
  }

  /** Those of one caller that the platform may not have as they are now. */
  unwritten(owner: string): TaskRecord[] {
    return [...this.#tasks.values()].filter((task) => task.owner === owner && task.writer?.isBehind === true);
  }

  #tidy(): void {
    const over = [...this.#tasks.values()].filter((task) => task.over).toSorted((a, b) => a.updatedAt - b.updatedAt);
    let bytes = 0;
    for (const task of this.#tasks.values()) bytes += task.bytes;
    for (const task of over) {
      if (!this.#isStale(task) && this.#tasks.size < LIMITS.count && bytes <= LIMITS.bytes) return;
      bytes -= task.bytes;
      this.#tasks.delete(task.id);
    }
  }

  #isStale(task: TaskRecord): boolean {
    return task.over && Date.now() - task.updatedAt > LIMITS.retentionMs;
  }
}

/** @throws RequestMalformedError */
export function pageSizeOf({ pageSize = PAGE }: ListTasksRequest): number {
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE) throw new RequestMalformedError(`pageSize must be between 1 and ${MAX_PAGE}`);
  return pageSize;
}

/** Milliseconds. @throws RequestMalformedError */
export function sinceOf({ statusTimestampAfter }: ListTasksRequest): number {
  const since = statusTimestampAfter ? Date.parse(statusTimestampAfter) : Number.NEGATIVE_INFINITY;
  if (Number.isNaN(since)) throw new RequestMalformedError('statusTimestampAfter must be an ISO 8601 time');
  return since;
}

export function wantsState(state: TaskState | undefined): state is TaskState {
  return state !== undefined && state !== TaskState.TASK_STATE_UNSPECIFIED;
}

interface Place {
  updatedAt: number;
  id: string;
}

function newestFirst(a: Place, b: Place): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

function cursor(token: string): Place {
  try {
    const [updatedAt, id]: unknown[] = JSON.parse(textFromBase64Url(token) ?? '');
    if (typeof updatedAt === 'number' && typeof id === 'string') return { updatedAt, id };
  } catch {
    // Said below.
  }
  throw new RequestMalformedError('pageToken is not one of ours');
}
