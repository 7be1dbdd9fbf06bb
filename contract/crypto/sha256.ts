// SHA-256 at once, where Node is. Browsers have it as a promise: ../wire/sha256.ts.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../wire/canonical.ts';
import { receiptBytes, type ReceiptPayload } from '../wire/receipt.ts';
import type { SessionEvent, SessionHeader } from '../wire/session.ts';

/** 64 hexadecimal characters. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Of the canonical text. */
export function canonicalSha256(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

/** What the next receipt of the agent's chain carries as `previous_sha256`. */
export function receiptSha256(payload: ReceiptPayload): string {
  return sha256Hex(receiptBytes(payload));
}

export function headerSha256(header: SessionHeader): string {
  return canonicalSha256(header);
}

/** The event as the log of a session has it. */
export function chained(event: Omit<SessionEvent, 'prev' | 'hash' | 'type'>, prev: string): SessionEvent {
  const line = { type: 'event' as const, ...event, prev };
  return { ...line, hash: canonicalSha256(line) };
}
