// Starting and messaging durable workflows. Default driver: a Temporal client. Only the outbox calls it.

export interface StartWorkflow {
  type: string;
  workflowId: string;
  taskQueue: string;
  args: unknown[];
  /** Operators' search attributes: SvcKind, SvcAgent, SvcOwner, SvcJob. */
  searchAttributes: Record<string, string>;
}

/** What `describe` saw: running, closed (however), or nothing under that id. */
export type WorkflowState = 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'absent';

export interface WorkflowStarter {
  /** Idempotent by workflow id: running or already closed counts as started. */
  start(workflow: StartWorkflow): Promise<void>;
  signal(workflowId: string, name: string, args: unknown[]): Promise<void>;
  /** Resolves with the update's result; rejects with the workflow's own error. */
  update(workflowId: string, name: string, updateId: string, input: unknown): Promise<unknown>;
  cancel(workflowId: string): Promise<void>;
  describe(workflowId: string): Promise<WorkflowState>;
  ping(): Promise<void>;
}
