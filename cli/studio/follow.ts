// A run of the studio, followed to its end: its steps as they come, then its outcome.
import type { StudioRunOut } from '#contract/studio/studio-brief.ts';
import { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { Api } from '../lib/api.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { persist, resume } from '../lib/follow.ts';
import { type Output, plain } from '../lib/output.ts';
import { nextLines, stepLine } from './show.ts';

/** Prints what was begun, or follows it. Resolves with the exit code. */
export async function startedRun(client: Api, begun: StudioRunOut, output: Output, wait: boolean): Promise<number> {
  if (!wait) {
    output.result(begun, [begun.run_id]);
    output.hint(`See it with: svc studio get ${begun.run_id}${begun.job_id === null ? '' : `\nCancel it with: svc cancel ${begun.job_id}`}`);
    return EXIT.ok;
  }
  const run = await followed(client, begun, output);
  output.result(run, () => [...(run.url === null ? [] : [run.url]), ...nextLines(run)]);
  if (run.error) output.note(output.bad(`${run.state}: ${plain(run.error.message)}`));
  output.hint(`All of it: svc studio get ${run.run_id}`);
  return run.state === 'failed' || run.state === 'cancelled' ? EXIT.failure : EXIT.ok;
}

/** Ctrl-C stops the watching only. @throws CliError when it is left before its end */
async function followed(client: Api, { run_id, job_id }: StudioRunOut, output: Output): Promise<StudioRunOut> {
  const stop = new AbortController();
  const leave = (): void => stop.abort();
  process.once('SIGINT', leave);
  const params = { run_id };
  const goesOn = `The run continues without this command. See it with: svc studio get ${run_id}${job_id === null ? '' : `; cancel it with: svc cancel ${job_id}`}`;
  const read = (): Promise<StudioRunOut> => persist(() => client.agentStudio.get({ params }, { signal: stop.signal }), stop.signal);
  try {
    const events = resume({
      open: (last) => client.agentStudio.stream({ params }, { signal: stop.signal, ...(last === undefined ? {} : { headers: { 'last-event-id': last } }) }),
      over: async () => (await read()).ended_at !== null,
      signal: stop.signal,
      output,
      goesOn,
    });
    for await (const { data } of events) {
      const step = stepLine(JobEventOut.parse(data));
      if (step) output.note(step.refused ? output.bad(step.text) : step.text);
    }
    return await read();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CliError(`\n${goesOn}`, EXIT.interrupted, { cause: error });
  } finally {
    process.removeListener('SIGINT', leave);
  }
}
