// The one way of a call, by whatever protocol it came: it begins, its agent is asked, the protocol's
// transport reads the answer, and each call ends with its receipt, at once or when its run has ended. The
// transport says how the request is written and what the answer says; what the caller gets of it, api/ says.
import { setTimeout as delay } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import type { StreamedEvent } from '#contract/wire/event-stream.ts';
import type { AgentRequest } from '#drivers/agent-http/port.ts';
import { noteFault } from '../../agents/agent/note-failure.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import { leaveCallContent, watchCallContent } from './content.ts';
import type { Receipt } from '../run/end.ts';
import { failed, type Outcome } from '../run/outcome.ts';
import { beginCalls, type Begun, type CallId, type Calling } from './begin.ts';
import type { Call } from './call.ts';
import { endCall } from './end.ts';
import { type AgentHeaders, type Exchange, exchange } from './exchange.ts';
import { followAndEnd } from './follow-events.ts';
import { deleteOpenCall, releasing } from './open-calls.ts';
import { promotedRun, receiptOfPromoted } from './promoted.ts';
import { watchStream } from './watch.ts';

/** How a protocol asks an agent, and reads what it answers. */
export interface Transport extends Pick<AgentRequest, 'path' | 'body' | 'signal'> {
  /** `own`: what the platform says of the run and of who calls. */
  headers: (own: Readonly<Record<string, string>>) => AgentRequest['headers'];
  /** Of its answer; default: of a protocol's. */
  maxBytes?: number;
  read: (answer: Exchange, runId: string) => Reading;
  /** An answer that is a stream is read event by event; absent: it is passed on unread. */
  listen?: () => Listener;
}

/** What an answer says of a call: how it ended, or that its run goes on at the agent. */
export type Verdict = Outcome | GoesOn;
/** `unknown`: its outcome where the agent does not know the run. */
interface GoesOn {
  state: 'goes_on';
  unknown?: Outcome;
}

export interface Reading {
  /** `answered` for protocols that carry their errors in their answers. */
  kind: 'answered' | 'refused' | 'failed' | 'unreadable';
  value?: unknown;
  verdicts: Verdicts;
  /** The answer waits so long for the receipt of a run that goes on. */
  patienceMs?: number;
  /** The agent's own fault, for self-healing. */
  fault?: string | undefined;
}
type Verdicts = ReadonlyMap<CallId, Verdict>;

export interface Listener {
  onEvent(event: StreamedEvent): void;
  /** What the events said. */
  verdicts: Verdicts;
  /** Of a call of which they said nothing. */
  unsaid(how: StreamEnd): Verdict;
  faultIn?(outcome: Outcome): string | undefined;
  /** After the agent's own, where the protocol has room for it. */
  last?(receipt: Receipt): Uint8Array;
}
type StreamEnd = 'ended' | 'left' | 'too_large';

/**
 * What became of a request. Statuses and headers are the agent's; those of the caller are made in
 * api/http/call-answer.ts.
 */
export type Performed = OfRun &
  (
    | { kind: 'stream'; status: number; headers?: AgentHeaders; stream: Readable }
    /** Headers and bytes are absent where the platform answers for a durable run. */
    | { kind: Reading['kind']; status: number; headers?: AgentHeaders; bytes?: Buffer; value?: unknown }
    /** It asks a person, or takes longer than its caller waits: the run is durable. */
    | { kind: 'deferred'; run: z.infer<typeof RunOut> }
  );

/** Of the run that the request became; a request that calls nothing becomes none. */
interface OfRun {
  runId?: string;
  traceId?: string;
  /** Of the last call; a stream carries it in its last event, or not at all. */
  receiptId?: string;
}

/** @throws as beginCalls and exchange do; a call that has begun has its receipt then too */
export async function perform(ctx: Ctx, calling: Calling, transport: Transport): Promise<Performed> {
  const begun = await beginCalls(ctx, calling);
  const { run } = begun;
  for (const call of begun.calls.values()) watchCallContent(ctx, call);
  // Ordinarily a call that fails has ended by then, and this changes nothing.
  const performed = await releasing([...begun.calls.values()], () => askAgent(ctx, calling.route, begun, transport));
  return { ...performed, runId: run.run_id, traceId: traceIdOf(run) };
}

/** A request that calls nothing: `own` tells the agent who asks, and no receipt is left. */
export async function passOn(ctx: Ctx, route: AgentRoute, own: Readonly<Record<string, string>>, transport: Omit<Transport, 'read'>): Promise<Performed> {
  return shown(await exchange(ctx, route, written(transport, own), async () => undefined), { kind: 'answered' });
}

async function askAgent(ctx: Ctx, route: AgentRoute, { run, calls, headers }: Begun, transport: Transport): Promise<Performed> {
  const endAll = async (outcome: Outcome): Promise<string | undefined> => {
    let last: Receipt | undefined;
    for (const call of calls.values()) last = await endCall(ctx, call, outcome);
    return last?.receipt_id;
  };
  let answer: Exchange;
  try {
    answer = await exchange(ctx, route, written(transport, headers), endAll);
  } catch (error) {
    // The agent was lost after the run had become durable: its workflow continues or ends it.
    const durable = await promotedRun(ctx, run);
    if (durable) return { kind: 'deferred', run: durable };
    throw error;
  }
  const listener = answer.body.kind === 'stream' ? transport.listen?.() : undefined;
  if (listener && answer.body.kind === 'stream')
    return { kind: 'stream', status: answer.status, headers: answer.headers, stream: listened(ctx, calls, listener, answer.body.stream, transport.signal) };
  const durable = answer.status === 202 ? await promotedRun(ctx, run) : undefined;
  if (durable) {
    for (const call of calls.values()) {
      await deleteOpenCall(ctx.db, call.callId);
      leaveCallContent(ctx, call);
    }
    return { kind: 'deferred', run: durable };
  }
  const { verdicts, patienceMs = 0, fault, ...reading } = transport.read(answer, run.run_id);
  let receipt: Receipt | undefined;
  for (const [id, call] of inOrder(verdicts, calls)) {
    const verdict = verdicts.get(id) ?? failed(`http_${answer.status}`);
    if (verdict.state !== 'goes_on') receipt = (await endCall(ctx, call, verdict)) ?? (await receiptOfPromoted(ctx, call, verdict));
    else if (patienceMs === 0) void goOn(ctx, call, verdict);
    else receipt = (await Promise.race([goOn(ctx, call, verdict), delay(patienceMs, undefined, { ref: false })])) ?? receipt;
  }
  if (fault !== undefined) await noteFault(ctx, route, fault);
  return shown(answer, reading, receipt);
}

/** Each that the answer names, as it does; then the others. */
function inOrder(verdicts: Verdicts, calls: ReadonlyMap<CallId, Call>): [CallId, Call][] {
  const all = [...calls];
  const named = [...verdicts.keys()].flatMap((id) => all.filter(([one]) => one === id));
  return [...named, ...all.filter(([id]) => !verdicts.has(id))];
}

function written({ path, body, signal, maxBytes, headers }: Omit<Transport, 'read'>, own: Readonly<Record<string, string>>): Parameters<typeof exchange>[2] {
  return { method: 'POST', path, body, signal, headers: headers(own), ...(maxBytes !== undefined && { maxBytes }) };
}

function shown({ status, headers, body }: Exchange, reading: Omit<Reading, 'verdicts'>, receipt?: Receipt): Performed {
  const receiptId = receipt && { receiptId: receipt.receipt_id };
  if (body.kind === 'stream') return { kind: 'stream', status, headers, stream: body.stream, ...receiptId };
  return { ...reading, status, headers, bytes: body.bytes, ...receiptId };
}

/** The sweep of runs whose call was lost finds what cannot be followed. */
function goOn(ctx: Ctx, call: Call, { unknown }: GoesOn): Promise<Receipt | undefined> {
  return followAndEnd(ctx, call, unknown).catch(() => void call.streamed?.end());
}

function listened(ctx: Ctx, calls: ReadonlyMap<CallId, Call>, listener: Listener, upstream: Readable, signal: AbortSignal): Readable {
  return watchStream(upstream, signal, {
    onEvent: (event) => {
      listener.onEvent(event);
      for (const { streamed } of calls.values()) streamed?.take(event);
    },
    onEnd: async (how) => {
      let receipt: Receipt | undefined;
      for (const [id, call] of inOrder(listener.verdicts, calls)) {
        const heard = listener.verdicts.get(id);
        const verdict = heard ?? listener.unsaid(how);
        if (verdict.state === 'goes_on') {
          void goOn(ctx, call, verdict);
          continue;
        }
        receipt = await endCall(ctx, call, verdict);
        const fault = receipt && listener.faultIn?.(verdict);
        if (fault !== undefined) await noteFault(ctx, call.route, fault);
        // Who has left reads no receipt.
        if (how !== 'left') receipt ??= await receiptOfPromoted(ctx, call, heard?.state === 'goes_on' ? undefined : heard);
      }
      return receipt && listener.last?.(receipt);
    },
  });
}
