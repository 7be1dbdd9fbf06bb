// A run as its user sees it. The route answers JSON or events, so the client gives the answer as it came.
import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import { ApiError } from '#contract/client.ts';
import type { TraceOut } from '#contract/runs/traces.ts';
import { SVC } from '#contract/wire/trace-conventions.ts';
import { client } from '../../api/client.ts';
import { queries, read } from '../../api/query.ts';
import { keysQuery, receiptQuery } from '../../evidence/receipts/loaded.ts';
import type { RunTab } from './run-search.ts';
import { loadTab } from './tabs.ts';

export type Run = z.output<typeof RunOut>;

async function readRun(agent: string, runId: string, signal: AbortSignal): Promise<Run> {
  const response = await client.agents.run({ params: { name: agent, run_id: runId } }, { signal, headers: { accept: 'application/json' } });
  return asRun(await response.json());
}

/**
 * null: it has no record of its own, as calls that only computed. Its trace and its receipt say all there is.
 */
export function runQuery(agent: string, runId: string) {
  return queryOptions({
    queryKey: ['agents', 'run', agent, runId],
    queryFn: async ({ signal }): Promise<Run | null> => {
      try {
        return await readRun(agent, runId, signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

/** Its trace names its agent, and so where it is read. */
export const traceQuery = (runId: string) => read('traces', 'mine', { params: { run_id: runId } });

const recordQuery = (runId: string) => read('myRuns', 'get', { params: { run_id: runId } });

/** Its trace names its receipt, too. */
export function receiptOf(trace: TraceOut): string | undefined {
  const receipt = trace.spans[0]?.attributes[SVC.receipt];
  return typeof receipt === 'string' ? receipt : undefined;
}

export const runInputQuery = (runId: string) => ({ ...read('traces', 'input', { params: { run_id: runId } }), staleTime: Infinity });

/** For the loader: what its page reads is asked for while the page's script comes. */
export async function prefetchRun(runId: string, tab: RunTab): Promise<void> {
  loadTab(tab);
  await queries().prefetchQuery(recordQuery(runId));
  const record = queries().getQueryData(recordQuery(runId).queryKey);
  if (!record?.yours) return;
  if (queries().getQueryData(traceQuery(runId).queryKey)) return;
  const ofReceipt = tab === 'receipt';
  if (ofReceipt) void queries().prefetchQuery(keysQuery);
  void queries().prefetchQuery(runInputQuery(runId));
  await queries().prefetchQuery(traceQuery(runId));
  const trace = queries().getQueryData(traceQuery(runId).queryKey);
  const agent = trace?.spans[0]?.agent;
  if (trace === undefined || agent === undefined) return;
  void queries().prefetchQuery(runQuery(agent, runId));
  const receipt = receiptOf(trace);
  if (ofReceipt && receipt !== undefined) void queries().prefetchQuery(receiptQuery(agent, receipt));
}

export const hasEnded = ({ state }: Pick<Run, 'state'>): boolean => state === 'succeeded' || state === 'failed' || state === 'cancelled';

// Safe: the route's contract, to which the API keeps.
function asRun(answer: unknown): Run {
  return answer as Run;
}
