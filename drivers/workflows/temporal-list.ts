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
/** Ids in one query, and workflows in one page. */
const idsAtOnce = 250;
const pageSize = 1_000;

export function stateNamed(status: string): WorkflowState {
  return states[status] ?? 'running';
}

export function workflowList(client: Client, bounded: Bounded): Pick<WorkflowStarter, 'brokenSince' | 'statesOf'> {
  /** All pages. */
  const list = (query: string): Promise<WorkflowExecutionInfo[]> =>
    whenCrowded(() => bounded(() => Array.fromAsync(client.workflow.list({ query, pageSize }))));
  return {
    async brokenSince(since) {
      const query = `ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut') AND CloseTime > '${since.toISOString()}'`;
      return (await list(query)).map(({ workflowId }) => workflowId);
    },
    async statesOf(workflowIds) {
      const latest = new Map<string, WorkflowExecutionInfo>();
      for (let from = 0; from < workflowIds.length; from += idsAtOnce) {
        const ids = workflowIds.slice(from, from + idsAtOnce).map((id) => `'${id.replaceAll("'", "''")}'`);
        for (const one of await list(`WorkflowId IN (${ids.join(', ')})`)) {
          const known = latest.get(one.workflowId);
          // Of several runs of one id the last counts.
          if (!known || one.startTime >= known.startTime) latest.set(one.workflowId, one);
        }
      }
      return new Map([...latest].map(([id, { status }]) => [id, stateNamed(status.name)]));
    },
  };
}
