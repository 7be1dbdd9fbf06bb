// Turns with the platform: the thread has everything that follows from a message; a broken connection
// continues where it was.
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { TurnOut, type CandidateOut, type ChatIn } from '#contract/conversation/chat.ts';
import { ThreadEventOut } from '#contract/conversation/chat-threads.ts';
import { WaitCard } from '#contract/pauses/cards.ts';
import { AgentEvent } from '#contract/wire/events.ts';
import type { Terminal } from '../ask/terminal.ts';
import type { Api } from '../lib/api.ts';
import { Printer } from '../call/printer.ts';
import { persist, resume } from '../lib/follow.ts';
import { forTerminal, plain, type Output } from '../lib/output.ts';
import { Desk } from '../runs/desk.ts';
import { onInterrupt } from '../runs/interrupt.ts';
import { sendDecision } from '../runs/send.ts';

export type Candidate = z.output<typeof CandidateOut>;
type ThreadEvent = z.output<typeof ThreadEventOut>;

export interface Place {
  client: Api;
  output: Output;
  terminal: Terminal;
  threadId: string | undefined;
  /** Something was left that waits for a person. */
  left: boolean;
}

/** Resolves when the turn has ended or is left; with what the platform suggests, where it does. */
export async function runTurn(place: Place, message: z.input<typeof ChatIn>): Promise<Candidate[]> {
  const { client, output } = place;
  const key = randomUUID();
  const headers = { 'idempotency-key': key, prefer: 'wait=0' };
  const body = { ...message, thread_id: place.threadId };
  const response = await persist(() => client.chat.send({ headers, body }, { headers: { accept: 'application/json' } }));
  const turn = TurnOut.parse(await response.json());
  place.threadId = turn.thread_id;
  const stop = new AbortController();
  const left = Symbol('left');
  const done = onInterrupt({
    goesOn: () => true,
    say: () => output.note('\nIt continues in its thread. Press Ctrl-C again to cancel it.'),
    leave: () => stop.abort(left),
    cancel: () => void cancelTurn(client, turn, output).catch((error: unknown) => stop.abort(error)),
  });
  try {
    await follow(place, turn, stop.signal);
  } catch (error) {
    if (stop.signal.aborted && stop.signal.reason === left) return [];
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    done();
    stop.abort();
  }
  return turn.candidates;
}

async function cancelTurn(client: Api, { job_id: job }: z.output<typeof TurnOut>, output: Output): Promise<void> {
  output.note('Cancelling …');
  if (job !== null) await client.workLedger.cancel({ params: { job_id: job } });
}

async function follow(place: Place, turn: z.output<typeof TurnOut>, signal: AbortSignal): Promise<void> {
  const { client, output, terminal } = place;
  const params = { thread_id: turn.thread_id };
  const desk = new Desk({ output, terminal, send: (wait, decision) => sendDecision(client, wait.wait_id, decision) });
  const printer = new Printer(output);
  let last = turn.first_seq - 1;
  const stream = resume({
    open: (id = String(last)) => client.chatThreads.activity({ params }, { signal, headers: { accept: 'text/event-stream', 'last-event-id': id } }),
    over: async () => false,
    signal,
    output,
    goesOn: 'The message is still processed; follow it with: svc chat --thread ' + turn.thread_id,
  });
  const listen = async (): Promise<void> => {
    for await (const { data } of stream) {
      const event = ThreadEventOut.parse(data);
      if (event.seq <= last) continue;
      last = event.seq;
      if (event.kind === 'turn.ended' && event.payload.turn_id === turn.turn_id) return;
      if (showEvent(event, turn.turn_id, { output, printer, desk }) === 'waits' && !terminal.interactive) {
        place.left = true;
        return;
      }
    }
  };
  try {
    await Promise.race([listen(), desk.failed]);
  } finally {
    printer.end();
    desk.close();
  }
}

function showEvent({ kind, payload }: ThreadEvent, turnId: string, on: { output: Output; printer: Printer; desk: Desk }): 'waits' | undefined {
  const { output, printer, desk } = on;
  const wait = kind === 'wait.opened' ? WaitCard.safeParse(payload) : undefined;
  if (wait?.success) {
    printer.end();
    desk.opened({ ...wait.data, prompt: wait.data.title === wait.data.prompt ? wait.data.prompt : `${wait.data.title}: ${wait.data.prompt}` });
    return 'waits';
  }
  if (kind.startsWith('wait.')) desk.closed(String(payload.wait_id), kind.slice('wait.'.length));
  else if (kind === 'message' && payload.role === 'assistant' && payload.turn_id === turnId) {
    printer.end();
    output.line(output.json ? JSON.stringify({ role: 'assistant', text: payload.text }) : forTerminal(String(payload.text)));
  } else if (kind === 'run.started') printer.note(output.dim(`  ${plain(`${payload.agent}.${payload.skill}`)} …`));
  else if (kind.startsWith('run.')) showAgent(kind.slice('run.'.length), payload, printer);
  return undefined;
}

function showAgent(kind: string, payload: Record<string, unknown>, printer: Printer): void {
  const event = AgentEvent.safeParse({ kind, payload });
  if (event.success) printer.show(event.data);
}
