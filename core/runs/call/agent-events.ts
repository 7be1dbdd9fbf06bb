// The events of an agent's run as its caller reads them, and those that the platform adds.
import { parseExact } from '#contract/wire/exact-json.ts';
import { TERMINAL_EVENT_KINDS } from '#contract/wire/events.ts';
import { MAX_EVENT_LENGTH } from '#contract/wire/limits.ts';
import type { Receipt } from '../run/end.ts';
import { failed, failedWith, type Outcome, succeeded } from '../run/outcome.ts';

/** Of a run's events: the one that ends it. */
export function isTerminalEvent(event: string | undefined): boolean {
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
export function readJson(text: Buffer | string): unknown {
  try {
    return text.length === 0 ? null : parseExact(text.toString());
  } catch {
    return undefined;
  }
}

/** The last of a stream, after its agent's own. */
export function receiptEvent(id: number, receipt: Receipt): Uint8Array {
  return new TextEncoder().encode(eventText(id, 'receipt', { receipt_id: receipt.receipt_id, token: receipt.token }));
}

export function eventText(id: number, kind: string, payload: unknown): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify({ kind, payload })}\n\n`;
}
