// What `svc cancel ID` ends: a run, a job, a deployment, a wait, a plan, or any other work by the id that was
// printed for it.
import type { Api } from '../lib/api.ts';
import { CliError, UsageError } from '../lib/errors.ts';
import { findRun, isJobId, isRunId, readRun, type Job } from './model.ts';
import { openWaits } from './waiting.ts';

const ANY_ID = /^[a-z]{3}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WAIT = /^(?:qst|inr|hof|scr)_/;
/** Jobs to search, 200 to a page. */
const PAGES = 10;

/** The job of the work. @throws UsageError, CliError */
export async function jobOf(client: Api, id: string, agent?: string): Promise<string> {
  if (isJobId(id)) return id;
  if (isRunId(id)) {
    const { job_id } = await readRun(client, await findRun(client, id, agent));
    if (job_id === null) throw new CliError(`${id} is a plain call: it ends with its caller's connection.`);
    return job_id;
  }
  if (!ANY_ID.test(id)) throw new UsageError(`"${id}" is not an id, such as run_… or job_…. List what can be cancelled: svc runs --all`);
  if (WAIT.test(id)) return await jobOf(client, await runOfWait(client, id), agent);
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { items, next_cursor: next } = await client.workLedger.activity({ query: { limit: 200, agent, cursor } });
    const job = items.find((one) => isAbout(one, id));
    if (job) return job.job_id;
    if (next === null) break;
    cursor = next;
  }
  throw new CliError(`Nothing that can be cancelled has the id ${id}. List what can: svc runs --all`);
}

async function runOfWait(client: Api, id: string): Promise<string> {
  const wait = (await openWaits(client.inbox)).find(({ wait_id }) => wait_id === id);
  if (!wait) throw new CliError(`${id} is not assigned to you, or was resolved. List what waits for you: svc answer`);
  if (wait.run_id === null) throw new CliError(`${id} belongs to a plain call: it ends with its caller's connection.`);
  return wait.run_id;
}

/** What it was started with, or has made, names the id. */
function isAbout({ input, output, thread_id }: Job, id: string): boolean {
  return [thread_id, ...Object.values(input), ...Object.values(output ?? {})].includes(id);
}
