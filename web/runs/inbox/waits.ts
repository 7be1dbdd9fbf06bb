// Everything of the account that waits for its user: of runs, and of plans that ask before they begin a run. Soonest end first.
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '#contract/client.ts';
import { send, type Output } from '../../api/client.ts';
import { readRun } from '../run/run-query.ts';
import type { Waiting } from '../wait/waiting.ts';

type Job = Output<'workLedger', 'activity'>['items'][number];

const PAGE = 200;
const MAX_PAGES = 5;
/** Requests at a time. */
const AT_ONCE = 6;

/** What a job asked, as long as it has no newer event: a look at the inbox every few seconds reads only what changed. */
const known = new Map<string, { last: number; waits: Waiting[] }>();

export const waitsQuery = queryOptions({
  queryKey: ['workLedger', 'waits'],
  queryFn: ({ signal }) => openWaits(signal),
  staleTime: 0,
  refetchInterval: 4_000,
  refetchOnWindowFocus: 'always',
});

async function openWaits(signal: AbortSignal): Promise<Waiting[]> {
  const [runs, plans] = await Promise.all([waitingJobs('run', signal), waitingJobs('dag', signal)]);
  const jobs = [...runs, ...plans];
  const found: Waiting[][] = [];
  for (let from = 0; from < jobs.length; from += AT_ONCE)
    found.push(...(await Promise.all(jobs.slice(from, from + AT_ONCE).map((job) => waitsOf(job, signal)))));
  const open = new Set(jobs.map(({ job_id }) => job_id));
  for (const id of known.keys()) if (!open.has(id)) known.delete(id);
  return inOrder(found.flat());
}

/** Each once: a plan shows what its runs ask, too. */
export function inOrder(waits: readonly Waiting[]): Waiting[] {
  const once = new Map(waits.map((wait) => [wait.wait_id, wait]));
  return [...once.values()].sort((a, b) => Date.parse(a.expires_at) - Date.parse(b.expires_at) || a.wait_id.localeCompare(b.wait_id));
}

async function waitingJobs(kind: 'run' | 'dag', signal: AbortSignal): Promise<Job[]> {
  const jobs: Job[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, next_cursor: next } = await send('workLedger', 'activity', { query: { kind, state: 'waiting', limit: PAGE, cursor } }, { signal });
    jobs.push(...items);
    if (next === null) break;
    cursor = next;
  }
  return jobs;
}

async function waitsOf(job: Job, signal: AbortSignal): Promise<Waiting[]> {
  const before = known.get(job.job_id);
  if (before?.last === job.last_seq) return before.waits;
  try {
    const waits = await read(job, signal);
    known.set(job.job_id, { last: job.last_seq, waits });
    return waits;
  } catch (error) {
    // It has ended and gone meanwhile.
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

async function read({ kind, agent, input }: Job, signal: AbortSignal): Promise<Waiting[]> {
  const { run_id: runId, dag_run_id: planId } = input;
  if (kind === 'dag' && typeof planId === 'string') {
    const { nodes } = await send('dagRuns', 'get', { params: { dag_run_id: planId } }, { signal });
    return nodes.flatMap(({ wait }) => wait ?? []);
  }
  if (typeof runId !== 'string' || agent === null) return [];
  const run = await readRun(agent, runId, signal);
  return run.waits.map((wait) => ({ ...wait, agent: run.agent, skill: run.skill, run_id: run.run_id }));
}
