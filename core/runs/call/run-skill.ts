// `POST /invoke/{skill}`: the agent's JSON or its events, and exactly one receipt.
import { parseExact } from '#contract/wire/exact-json.ts';
import { MAX_EVENT_LENGTH, MAX_VALUE_BYTES } from '#contract/wire/limits.ts';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import { TERMINAL_EVENT_KINDS } from '#contract/wire/events.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { SignedReceipt } from '../../evidence/receipt/link.ts';
import { CANCELLED_BY_CALLER, failed, failedWith, type Outcome, succeeded } from '../run/outcome.ts';
import type { Call } from './call.ts';
import { promotedRun, receiptOfPromoted, endOrPromoted } from './promoted.ts';
import { type Exchange, exchange } from './exchange.ts';
import { noteFault, noteOutcome } from './note-fault.ts';
import { deleteOpenCall, releasing } from './open-calls.ts';
import { endCallUnlessDurable } from './end.ts';
import { watchStream } from './watch.ts';

export interface SkillRequest {
  /** JSON text of the arguments. */
  body: string | Uint8Array;
  /** For the agent, its key among them. */
  headers: Record<string, string> | string[];
  signal: AbortSignal;
}

export interface SkillAnswer {
  /** The agent's own. */
  status: number;
  headers: Record<string, string | string[]>;
  /** A stream gets its receipt when it ends, as its last event. */
  body:
    | { kind: 'stream'; stream: Readable }
    | { kind: 'json'; bytes: Buffer; value: unknown; receiptId: string }
    | { kind: 'unreadable'; bytes: Buffer; receiptId: string }
    /** It asks a user: the run is durable now. */
    | { kind: 'adopted'; run: z.infer<typeof RunOut> };
}

/** Rejects as `exchange` does; the call has its receipt then too. */
export async function runSkill(ctx: Ctx, call: Call, request: SkillRequest): Promise<SkillAnswer> {
  // Ordinarily a call that fails has ended by then, and this changes nothing.
  return releasing([call], () => answered(ctx, call, request));
}

async function answered(ctx: Ctx, call: Call, request: SkillRequest): Promise<SkillAnswer> {
  const endUnlessDurable = async (outcome: Outcome): Promise<string | undefined> => (await endCallUnlessDurable(ctx, call, outcome))?.receipt_id;
  let answer: Exchange;
  try {
    answer = await exchange(
      ctx,
      call.route,
      { method: 'POST', path: `/invoke/${encodeURIComponent(call.skill)}`, maxBytes: MAX_VALUE_BYTES, ...request },
      endUnlessDurable,
    );
  } catch (error) {
    // The agent was lost after the run had become durable: its workflow continues or ends it.
    const run = await promotedRun(ctx, call);
    if (run) return { status: 202, headers: {}, body: { kind: 'adopted', run } };
    throw error;
  }
  const { status, headers, body } = answer;
  if (body.kind === 'stream') return { status, headers, body: { kind: 'stream', stream: bridge(ctx, call, body.stream, request.signal) } };
  if (status === 202) {
    const run = await promotedRun(ctx, call);
    if (run) {
      await deleteOpenCall(ctx.db, call.callId);
      return { status, headers, body: { kind: 'adopted', run } };
    }
  }
  // 202 of an agent whose run is not durable is no answer.
  const value = status === 202 ? undefined : readJson(body.bytes);
  const endWith = (outcome: Outcome): Promise<string> => endOrPromoted(ctx, call, outcome);
  if (value === undefined) {
    const receiptId = await endWith(failed('bad_answer'));
    await noteFault(ctx, call.route, 'bad_answer');
    return { status, headers, body: { kind: 'unreadable', bytes: body.bytes, receiptId } };
  }
  const receiptId = await endWith(status < 300 ? succeeded(value) : failedWith(value, `http_${status}`));
  if (status >= 500) await noteFault(ctx, call.route, `http_${status}`);
  return { status, headers, body: { kind: 'json', bytes: body.bytes, value, receiptId } };
}

const ENDED: Readonly<Record<'ended' | 'left' | 'too_large', Outcome>> = {
  ended: failed('stream_broken'),
  left: CANCELLED_BY_CALLER,
  too_large: failed('answer_too_large'),
};

function bridge(ctx: Ctx, call: Call, upstream: Readable, signal: AbortSignal): Readable {
  let outcome: Outcome | undefined;
  let lastId = 0;
  return watchStream(upstream, signal, {
    onEvent: ({ event, data, id }) => {
      if (id !== undefined && /^\d{1,15}$/.test(id)) lastId = Number(id);
      if (isTerminal(event)) outcome ??= outcomeOfEvent(event, data);
    },
    onEnd: async (how) => {
      const end = outcome ?? ENDED[how];
      const receipt = await endCallUnlessDurable(ctx, call, end);
      if (receipt) await noteOutcome(ctx, call.route, end);
      if (receipt) return receiptEvent(lastId + 1, receipt);
      // The caller has left.
      if (how === 'left') return undefined;
      const later = await receiptOfPromoted(ctx, call, outcome);
      return later && receiptEvent(lastId + 1, later);
    },
  });
}

/** Of a run's events: the one that ends it. */
export function isTerminal(event: string | undefined): boolean {
  return TERMINAL_EVENT_KINDS.some((kind) => kind === event);
}

export function outcomeOfEvent(event: string | undefined, data: string): Outcome {
  if (Buffer.byteLength(data) > MAX_EVENT_LENGTH) return failed('answer_too_large');
  const value = readJson(data);
  if (value === undefined) return failed('bad_answer');
  const payload = typeof value === 'object' && value !== null && 'payload' in value ? value.payload : undefined;
  if (event !== 'result') return failedWith(payload, 'skill_failed');
  const result = typeof payload === 'object' && payload !== null && 'result' in payload ? payload.result : null;
  return succeeded(result);
}

/** Undefined for what is no JSON, or has numbers that nobody could read as they are. */
function readJson(text: Buffer | string): unknown {
  try {
    return text.length === 0 ? null : parseExact(text.toString());
  } catch {
    return undefined;
  }
}

/** The last of a stream, after its agent's own. */
export function receiptEvent(id: number, receipt: Pick<SignedReceipt, 'receipt_id' | 'token'>): Uint8Array {
  return new TextEncoder().encode(eventText(id, 'receipt', { receipt_id: receipt.receipt_id, token: receipt.token }));
}

export function eventText(id: number, kind: string, payload: unknown): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify({ kind, payload })}\n\n`;
}
