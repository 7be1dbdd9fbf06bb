// Runs as the tool knows them, and how it finds them.
import type { z } from 'zod';
import { RunOut, type RunWait as RunWaitOut } from '#contract/runs/runs.ts';
import type { JobEventOut, JobOut } from '#contract/runs/work-ledger.ts';
import type { Api } from '../lib/api.ts';
import { CliError, UsageError } from '../lib/errors.ts';

export type Run = z.output<typeof RunOut>;
export type Wait = z.output<typeof RunWaitOut>;
export type Job = z.output<typeof JobOut>;
export type JobEvent = z.output<typeof JobEventOut>;

export interface RunName {
  agent: string;
  runId: string;
}

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
export const isRunId = (text: string): boolean => new RegExp(`^run_${ID}$`).test(text);
export const isJobId = (text: string): boolean => new RegExp(`^job_${ID}$`).test(text);
/** Jobs to search for a run when no agent is named. */
const PAGES = 10;

export async function readRun(client: Api, { agent, runId }: RunName, signal?: AbortSignal): Promise<Run> {
  const response = await client.agents.run({ params: { name: agent, run_id: runId } }, { headers: { accept: 'application/json' }, ...(signal && { signal }) });
  return RunOut.parse(await response.json());
}

/** The run a job is of. */
export function runOf(job: Job): RunName | undefined {
  const runId = job.input.run_id;
  return typeof runId === 'string' && job.agent !== null ? { agent: job.agent, runId } : undefined;
}

/** By the id of a run or of its job. @throws UsageError, CliError */
export async function findRun(client: Api, id: string, agent?: string): Promise<RunName> {
  if (isJobId(id)) {
    const run = runOf(await client.workLedger.get({ params: { job_id: id } }));
    if (!run) throw new CliError(`${id} is not the job of a run. See it with: svc runs --all`);
    return run;
  }
  if (!isRunId(id)) throw new UsageError(`"${id}" is not the id of a run (run_…) or of a job (job_…). List them with: svc runs`);
  if (agent !== undefined) return { agent, runId: id };
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { items, next_cursor: next } = await client.workLedger.activity({ query: { kind: 'run', limit: 200, cursor } });
    const runName = items.map(runOf).find((run) => run?.runId === id);
    if (runName) return runName;
    if (next === null) break;
    cursor = next;
  }
  // A plain call has no job.
  const record = await client.myRuns.get({ params: { run_id: id } }).catch(() => undefined);
  if (record?.yours) return { agent: record.agent, runId: id };
  throw new CliError(`${id} is not among your newest runs. Name its agent, too: svc logs AGENT --run ${id}`);
}

export function hasEnded({ state }: Pick<Run, 'state'>): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}
