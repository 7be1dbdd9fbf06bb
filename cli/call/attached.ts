// A plain call of a streaming skill, watched on its own connection; when that breaks, or the run waits for a
// person, it continues as a run.
import type { z } from 'zod';
import { ANSWER_PATH } from '#contract/pauses/answer-path.ts';
import { AgentEvent, FailedPayload, QuestionPayload, ReceiptPayload, ResultPayload, ScopeRequestPayload, StatusPayload } from '#contract/wire/events.ts';
import { Terminal } from '../ask/terminal.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { isPassing, persist } from '../lib/follow.ts';
import { Desk } from '../runs/desk.ts';
import { onInterrupt } from '../runs/interrupt.ts';
import { hasEnded, readRun, type Wait } from '../runs/model.ts';
import { sendDecision } from '../runs/send.ts';
import { cancelRun, leftWaiting, outcomeOf, watchRun, type Watch } from '../runs/watch.ts';
import { readEvents } from '../lib/sse.ts';
import { failureMessage, Printer } from './printer.ts';

export interface Outcome {
  result: unknown;
  receiptId: string | undefined;
}

/** Of the call, except which run it is: the stream says so. */
export type Attached = Omit<Watch, 'runId' | 'seen'> & {
  /** Ends the connection. */
  abort: AbortController;
};

interface Progress {
  runId: string | undefined;
  /** Events of the agent so far. */
  seen: number;
  /** It has asked for something: the platform keeps it when this connection goes. */
  kept: boolean;
  outcome?: { result: unknown };
  failure?: z.output<typeof FailedPayload>;
  receiptId: string | undefined;
}

/** @throws CliError when the skill failed, or the call ended with its connection */
export async function showLive(response: Response, call: Attached): Promise<Outcome> {
  const { output, context } = call;
  const progress: Progress = { runId: undefined, seen: 0, kept: false, receiptId: response.headers.get('x-svc-receipt-id') ?? undefined };
  const terminal = new Terminal(context, context.interactive && call.noInput !== true);
  const desk = new Desk({ output, terminal, send: (wait, decision) => sendDecision(call.client, wait.wait_id, decision) });
  const printer = new Printer(output);
  const done = interruptible(call, progress);
  try {
    await Promise.race([listen(response, call, progress, printer, desk), desk.failed]);
  } catch (error) {
    if (call.abort.signal.aborted) throw call.abort.signal.reason;
    if (!isPassing(error)) throw error;
  } finally {
    printer.end();
    done();
    desk.close();
    terminal.close();
  }
  const { outcome, failure, receiptId } = progress;
  if (failure)
    throw new CliError([failureMessage(failure), ...(progress.runId === undefined ? [] : [`What happened in it: svc trace ${progress.runId}`])].join('\n'));
  return outcome ? { result: outcome.result, receiptId } : await pickUp(call, progress);
}

async function listen(response: Response, call: Attached, progress: Progress, printer: Printer, desk: Desk): Promise<void> {
  for await (const { data } of readEvents(response)) {
    const event = AgentEvent.parse(data);
    call.onEvent?.(event);
    if (event.kind !== 'receipt') progress.seen += 1;
    note(event, progress);
    const wait = await storedWait(call, event, progress);
    if (!wait) {
      // It continues: the request was decided, here or elsewhere.
      if (event.kind === 'status' && event.payload.state === 'running') desk.closeAll('decided elsewhere');
      printer.show(event);
      continue;
    }
    printer.end();
    progress.kept = true;
    if (call.noInput) throw leftWaiting(call.output, wait, howToSee(call, progress));
    desk.opened(wait);
  }
}

function note({ kind, payload }: AgentEvent, progress: Progress): void {
  if (kind === 'status') progress.runId = StatusPayload.parse(payload).run_id;
  else if (kind === 'result') progress.outcome = { result: ResultPayload.parse(payload).result };
  else if (kind === 'failed') progress.failure = FailedPayload.parse(payload);
  else if (kind === 'receipt') progress.receiptId = ReceiptPayload.parse(payload).receipt_id;
}

/**
 * What the event asks, as the platform keeps it: the agent that sends it could put other words there, or ask
 * what nobody takes an answer to.
 */
async function storedWait(call: Attached, { kind, payload }: AgentEvent, { runId }: Progress): Promise<Wait | undefined> {
  const named = WAIT_ID[kind];
  if (runId === undefined || named === undefined) return undefined;
  const { waits } = await persist(() => readRun(call.client, { ...call, runId }));
  return waits.find(({ wait_id: id }) => id === payload[named]);
}
/** Where events that ask have the id of the wait. */
const WAIT_ID: Readonly<Record<string, string>> = { question: 'question_id', scope_request: 'request_id', platform_wait: 'wait_id' };

/** Of an agent on this machine, which no platform stands beside. */
export function waitOf({ kind, payload }: AgentEvent): Wait | undefined {
  if (kind === 'question') {
    const { question_id: id, prompt, schema, expires_at } = QuestionPayload.parse(payload);
    const form = id.startsWith('inr_');
    const kind = form ? 'input_request' : 'question';
    return { kind, wait_id: id, prompt, expires_at, answer_path: ANSWER_PATH[kind](id), ...(schema && { schema }) };
  }
  if (kind !== 'scope_request') return undefined;
  const { request_id: id, expires_at, reason, ...request } = ScopeRequestPayload.parse(payload);
  return {
    wait_id: id,
    kind: 'scope_request',
    prompt: reason === '' ? 'The skill asks for access to files' : reason,
    request,
    expires_at,
    answer_path: ANSWER_PATH.scope_request(id),
  };
}

/** The stream ended without a result: the run may continue all the same. */
async function pickUp(call: Attached, { runId, seen }: Progress): Promise<Outcome> {
  if (runId === undefined) throw new CliError('The connection broke before the agent answered. See: svc logs');
  const run = await persist(() => readRun(call.client, { ...call, runId }));
  if (run.job_id !== null) return outcomeOf(await watchRun({ ...call, runId, seen }));
  if (hasEnded(run)) return outcomeOf(run);
  throw new CliError('The connection broke, and the call ended with it. A run that outlives its connection: svc call --durable …');
}

function interruptible(call: Attached, progress: Progress): () => void {
  const { abort, output, client } = call;
  const leave = (): void => abort.abort(new CliError(progress.kept ? 'Detached; the run continues.' : 'Cancelled.', EXIT.interrupted));
  return onInterrupt({
    goesOn: () => progress.kept,
    say: () => output.hint(`\nThe run continues: ${howToSee(call, progress)}\nPress Ctrl-C again to cancel it.`),
    leave,
    cancel: () => void cancelRun(client, { ...call, runId: progress.runId ?? '' }, output).catch((error: unknown) => abort.abort(error)),
  });
}

function howToSee({ agent }: Attached, { runId }: Progress): string {
  return `svc logs ${agent} --run ${runId} --follow`;
}
