// Starting and messaging durable workflows. Default driver: a Temporal client. Only the outbox calls it.

/**
 * What operators find workflows by (deploy/runbooks/saved-views.md); every workflow says at least what it is
 * and whose.
 */
export interface SearchAttributes {
  SvcKind: string;
  /** user_id, or `platform` for its own housekeeping. */
  SvcOwner: string;
  /** The agent's name. */
  SvcAgent?: string;
  /** job_id */
  SvcJob?: string;
}

export interface StartWorkflow {
  type: string;
  workflowId: string;
  taskQueue: string;
  args: unknown[];
  searchAttributes: SearchAttributes;
  /** Its name, where it runs one. */
  skill?: string;
  /** What its UI shows of it: a line, and more in Markdown. */
  summary?: string;
  details?: string;
}

/** What `describe` saw: running, closed (however), or nothing under that id. */
export type WorkflowState = 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'absent';

export interface WorkflowStarter {
  /**
   * Idempotent by workflow id: a running or completed one counts as started. One that failed, was cancelled
   * or terminated starts again.
   */
  start(workflow: StartWorkflow): Promise<void>;
  signal(workflowId: string, name: string, args: unknown[]): Promise<void>;
  /**
   * Resolves with the update's result. Rejects with UpdateRefused, WorkflowGone, or WorkflowsUnavailable (it
   * may take effect yet: send it again under its id).
   */
  update(workflowId: string, name: string, updateId: string, input: unknown): Promise<unknown>;
  cancel(workflowId: string): Promise<void>;
  describe(workflowId: string): Promise<WorkflowState>;
  /**
   * Deletes the histories of an owner's workflows that have ended. Those that run stay. Resolves with how
   * many there were.
   */
  forget(owner: string, options?: Forget): Promise<number>;
  /**
   * Ids of those that closed since then (the engine's time) and did not complete. The list may lag some
   * seconds.
   */
  brokenSince(since: Date): Promise<string[]>;
  ping(): Promise<void>;
  /** What waits in a task queue. */
  queue(name: string): Promise<QueueState>;
}

export interface Forget {
  /** Only those that ended before. */
  endedBefore?: Date;
  /** Called between pages. */
  beat?: () => void;
}

interface QueueState {
  name: string;
  workflows: Backlog;
  activities: Backlog;
}

export interface Backlog {
  /** Tasks that no worker took yet, about. */
  waiting: number;
  oldest_seconds: number;
  /** Processes that asked for tasks lately. */
  workers: number;
}

/** The workflow said no; `type` is its own word for why. */
export class UpdateRefused extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.name = 'UpdateRefused';
    this.type = type;
  }
}

/** It has ended, or has never been there. */
export class WorkflowGone extends Error {
  constructor(workflowId: string) {
    super(`no workflow under way as ${workflowId}`);
    this.name = 'WorkflowGone';
  }
}

export class WorkflowsUnavailable extends Error {
  constructor(cause: unknown) {
    super('the workflow engine did not answer in time', { cause });
    this.name = 'WorkflowsUnavailable';
  }
}
