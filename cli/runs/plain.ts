// A plain call: what is kept of it, why it failed, and for the owner of its agent its log lines.
import type { Api } from '../lib/api.ts';
import { readableLines } from '../lib/log-line.ts';
import { plain, type Output } from '../lib/output.ts';
import type { RunName } from './model.ts';

export async function printPlain(client: Api, { agent, runId }: RunName, output: Output, json: boolean): Promise<number> {
  const record = await client.myRuns.get({ params: { run_id: runId } });
  if (json) {
    output.line(JSON.stringify(record));
    return 0;
  }
  const { content, input, output: result, text, error, state, duration_ms: ms } = record;
  if (content === 'kept') output.line(`input  ${JSON.stringify(input)}`);
  if (text !== '') output.line(plain(text));
  if (content === 'kept' && state === 'succeeded') output.line(`output ${JSON.stringify(result)}`);
  if (record.own_agent) await printLog(client, { name: agent, run_id: runId }, output);
  const took = ms === null ? '' : ` after ${ms} ms`;
  output.note(`The call ${ENDS[state] ?? `is ${state}`}${took}${error ? ` (${error.code}): ${plain(error.message)}` : '.'}`);
  if (content === 'not_kept') output.hint('Its input and output are not kept. Change that with: PUT /v1/me/run-contents, or in the settings of the dashboard.');
  output.hint(`What happened in it: svc trace ${runId}`);
  return 0;
}

const ENDS: Readonly<Record<string, string>> = { succeeded: 'succeeded', failed: 'failed', cancelled: 'was cancelled' };

/** Log lines of one run or one request. Resolves with how many there are. */
export async function printLog(client: Api, of: { name: string; run_id?: string; request_id?: string }, output: Output, json = false): Promise<number> {
  const { name, ...query } = of;
  const { lines, searched } = await client.myRuns.log({ params: { name }, query });
  for (const line of lines) {
    if (json) output.line(JSON.stringify(line));
    else for (const part of readableLines(line.text)) output.line(`${output.dim(line.at.slice(11, 23))} ${line.stream === 'stderr' ? output.bad(part) : part}`);
  }
  if (lines.length === 0) output.note(searched === 0 ? 'The machine that served it is gone, and its log with it.' : 'No log line names it.');
  return lines.length;
}
