// Deletes histories. The list of workflows follows the engine with a delay: it is read again until it shows
// nothing new.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Bounded } from './crowded.ts';
import type { Forget } from './port.ts';
import { serverError, status } from './server-error.ts';

const PAGE = 100;
const AGAIN_MS = 500;
/** Rounds in a row that list nothing new: what they list is being deleted. */
const MOST_EMPTY = 3;

export async function forget(client: Client, bounded: Bounded, owner: string, { endedBefore, beat }: Forget): Promise<number> {
  if (!/^[\w-]+$/.test(owner)) throw new Error(`${owner} is no id of an owner`);
  const { namespace } = client.options;
  const query = `SvcOwner = '${owner}' AND ExecutionStatus != 'Running'${endedBefore ? ` AND CloseTime < '${endedBefore.toISOString()}'` : ''}`;
  const deleted = new Set<string>();
  for (let empty = 0; empty < MOST_EMPTY;) {
    const before = deleted.size;
    let nextPageToken: Uint8Array | undefined;
    do {
      const page = await bounded(() =>
        client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: PAGE, ...(nextPageToken && { nextPageToken }) }),
      );
      for (const { execution } of page.executions) {
        const { workflowId, runId } = execution ?? {};
        if (!workflowId || !runId || deleted.has(runId)) continue;
        await bounded(() => client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })).catch(unlessGone);
        deleted.add(runId);
      }
      nextPageToken = page.nextPageToken?.length > 0 ? page.nextPageToken : undefined;
      beat?.();
    } while (nextPageToken);
    empty = deleted.size > before ? 0 : empty + 1;
    if (empty < MOST_EMPTY) await delay(AGAIN_MS);
  }
  return deleted.size;
}

function unlessGone(error: unknown): void {
  if (serverError(error)?.code !== status.NOT_FOUND) throw error;
}
