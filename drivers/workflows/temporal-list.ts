// Many workflows at a time, from the engine's list (visibility).
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { type Bounded, whenCrowded } from './crowded.ts';
import type { WorkflowStarter, WorkflowState } from './port.ts';

const states: Record<string, WorkflowState> = {
  RUNNING: 'running',
  CONTINUED_AS_NEW: 'running',
  PAUSED: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
};
/** Workflows in one page. */
const pageSize = 1_000;

export function stateNamed(status: string): WorkflowState {
  return states[status] ?? 'running';
}

export function workflowList(client: Client, bounded: Bounded): Pick<WorkflowStarter, 'brokenSince'> {
  /** All pages. */
  const list = (query: string): Promise<WorkflowExecutionInfo[]> =>
    whenCrowded(() => bounded(() => Array.fromAsync(client.workflow.list({ query, pageSize }))));
  return {
    async brokenSince(since) {
      const query = `ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut') AND CloseTime > '${since.toISOString()}'`;
      return (await list(query)).map(({ workflowId }) => workflowId);
    },
  };
}
