// The events of a run so far, one a line.
import type { Api } from '../lib/api.ts';
import { plain, type Output } from '../lib/output.ts';
import { explainWait } from './desk.ts';
import { printPlain } from './plain.ts';
import { readRun, type JobEvent, type Run, type RunName } from './model.ts';
import { eventSummaryOf } from './event-summary.ts';

const PAGE = 1_000;
/** Characters of the widest label. */
const LABEL = 10;
const STATE_TEXT: Record<Run['state'], string> = {
  queued: 'is queued',
  running: 'is running',
  waiting: 'is waiting',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'was cancelled',
};

export async function printEvents(client: Api, name: RunName, output: Output, json: boolean): Promise<number> {
  const run = await readRun(client, name);
  if (run.job_id === null) return printPlain(client, name, output, json);
  for (let after = 0; ;) {
    const { items, last_seq: last } = await client.workLedger.events({ params: { job_id: run.job_id }, query: { after, limit: PAGE } });
    for (const event of items) output.line(json ? JSON.stringify(event) : lineOf(event, output));
    const newest = items.at(-1)?.seq;
    if (newest === undefined || newest >= last) break;
    after = newest;
  }
  if (json) return 0;
  output.note(`The run ${STATE_TEXT[run.state]}${run.error ? ` (${run.error.code}): ${plain(run.error.message)}` : ''}`);
  for (const wait of run.waits) explainWait(output, wait);
  return 0;
}

function lineOf(event: JobEvent, output: Output): string {
  const { label, text } = eventSummaryOf(event);
  return `${output.dim(event.at.slice(11, 23))} ${label.padEnd(LABEL)} ${event.kind === 'wait.opened' ? output.advice(plain(text)) : plain(text)}`.trimEnd();
}
