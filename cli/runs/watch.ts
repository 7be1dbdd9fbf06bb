// Watches a durable run: shows its events as they come, asks the person its questions, shows its end.
import { AgentEvent } from '#contract/wire/events.ts';
import { JobEventOut } from '#contract/runs/work-ledger.ts';
import { Terminal } from '../ask/terminal.ts';
import type { Api } from '../lib/api.ts';
import { Printer } from '../call/printer.ts';
import type { CliContext } from '../lib/context.ts';
import { CliError, faultText } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { persist, resume } from '../lib/follow.ts';
import { plain, type Output } from '../lib/output.ts';
import { Desk, explainWait } from './desk.ts';
import { onInterrupt } from './interrupt.ts';
import { hasEnded, readRun, type JobEvent, type Run, type RunName, type Wait } from './model.ts';
import { eventSummaryOf } from './event-summary.ts';
import { sendDecision } from './send.ts';

/** The job's own events that a person needs to see; the run's events show the effect of the others. */
const SHOWN = ['job.restarted', 'job.truncated', 'job.cancel_requested'];

export interface Watch extends RunName {
  client: Api;
  output: Output;
  context: CliContext;
  /** Do not ask: end when the run waits. */
  noInput?: boolean;
  /** Its agent's events that were seen on another stream. */
  seen?: number;
  onEvent?: ((event: AgentEvent) => void) | undefined;
}

/** Resolves with the run as it ended. @throws CliError when it is left before */
export async function watchRun(watch: Watch): Promise<Run> {
  const { client, output, agent, runId, context } = watch;
  const how = `svc logs ${agent} --run ${runId} --follow`;
  const stop = new AbortController();
  const terminal = new Terminal(context, context.interactive && watch.noInput !== true);
  const desk = new Desk({ output, terminal, send: (wait, decision) => sendDecision(client, wait.wait_id, decision) });
  const done = onInterrupt({
    goesOn: () => true,
    say: () => output.hint(`\nThe run continues: ${how}\nPress Ctrl-C again to cancel it.`),
    leave: () => stop.abort(new CliError('Detached; the run continues.', EXIT.interrupted)),
    cancel: () => void cancelRun(client, watch, output).catch((error: unknown) => stop.abort(error)),
  });
  try {
    return await Promise.race([follow(watch, desk, stop.signal, how), desk.failed]);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    done();
    stop.abort();
    desk.close();
    terminal.close();
  }
}

async function follow(watch: Watch, desk: Desk, signal: AbortSignal, how: string): Promise<Run> {
  const { client, output } = watch;
  const printer = new Printer(output);
  const read = (): Promise<Run> => persist(() => readRun(client, watch, signal), signal);
  let seen = watch.seen ?? 0;
  let last = 0;
  let run: Run | undefined;
  const over = async (): Promise<boolean> => {
    run = await read();
    return hasEnded(run) && last >= run.last_seq;
  };
  for await (const event of events(watch, signal, over, how)) {
    if (event.seq <= last) continue;
    last = event.seq;
    if (event.kind.startsWith('run.')) {
      seen -= 1;
      if (seen < 0) showAgent(event, printer, watch);
    } else if (event.kind === 'wait.opened') {
      printer.end();
      const wait = (await read()).waits.find(({ wait_id: id }) => id === event.payload.wait_id);
      if (wait && watch.noInput) throw leftWaiting(output, wait, how);
      if (wait) desk.opened(wait);
    } else if (event.kind.startsWith('wait.')) {
      desk.closed(String(event.payload.wait_id), event.kind.slice('wait.'.length));
    } else if (SHOWN.includes(event.kind)) {
      const { label, text } = eventSummaryOf(event);
      printer.note(output.dim(plain(`  ${label}: ${text}`)));
    }
  }
  printer.end();
  return run ?? (await read());
}

async function* events(watch: Watch, signal: AbortSignal, over: () => Promise<boolean>, how: string): AsyncGenerator<JobEvent> {
  const params = { name: watch.agent, run_id: watch.runId };
  const stream = resume({
    open: (last) =>
      watch.client.agents.run({ params }, { signal, headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) } }),
    over,
    signal,
    output: watch.output,
    goesOn: `The run continues without this command; follow it with: ${how}`,
  });
  for await (const { data } of stream) yield JobEventOut.parse(data);
}

function showAgent({ kind, payload }: JobEvent, printer: Printer, { onEvent }: Watch): void {
  const event = AgentEvent.safeParse({ kind: kind.slice('run.'.length), payload });
  if (!event.success) return;
  onEvent?.(event.data);
  printer.show(event.data);
}

export function leftWaiting(output: Output, wait: Wait, how: string): CliError {
  explainWait(output, wait);
  return new CliError(`The run waits for the answer. Follow it with: ${how}`, EXIT.waiting);
}

/** Asks for its end, which its events tell. */
export async function cancelRun(client: Api, name: RunName, output: Output): Promise<void> {
  output.note('Cancelling …');
  const { job_id: job, state } = await readRun(client, name);
  if (job !== null && !hasEnded({ state })) await client.workLedger.cancel({ params: { job_id: job } });
}

/** The result of the run; a failure is an error. @throws CliError */
export function outcomeOf(run: Run): { result: unknown; receiptId: string | undefined } {
  if (run.state === 'succeeded') return { result: run.result, receiptId: run.receipt_id ?? undefined };
  const why = run.error ? ` ${faultText(run.error)}` : '';
  throw new CliError(run.state === 'cancelled' ? `The run was cancelled${why}` : `The skill failed${why}`);
}
