// A receipt's token read without its schema, which browsers need not load: what the signature is over is
// checked byte by byte, and what is shown is read with care.
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { fromBase64Url } from '#contract/wire/base64url.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';

export interface Decoded {
  payload: ReceiptPayload;
  /** As signed. */
  bytes: Uint8Array;
  signature: Uint8Array;
}

export class NotAReceipt extends Error {}

/** @throws NotAReceipt, with what is wrong with it */
export function decode(token: string): Decoded {
  const [head = '', tail = '', ...rest] = token.trim().split('.');
  const [bytes, signature] = [fromBase64Url(head), fromBase64Url(tail)];
  if (!bytes?.length || signature?.length !== 64 || rest.length > 0)
    throw new NotAReceipt('A receipt is two parts in base64url with a dot between them. This text is not one, or a part of it is missing.');
  return { payload: payloadOf(bytes), bytes, signature };
}

function payloadOf(bytes: Uint8Array): ReceiptPayload {
  let text: string;
  let value: unknown;
  let canonical: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
    canonical = canonicalJson(value);
  } catch {
    throw new NotAReceipt('Its first part is not JSON: the receipt was changed or cut.');
  }
  if (!isPayload(value)) throw new NotAReceipt('Its first part does not have the fields of a receipt: the receipt was changed, or it is of another kind.');
  if (canonical !== text) throw new NotAReceipt('Its first part is not canonical JSON: the receipt was rewritten.');
  return value;
}

const TEXTS = ['receipt_id', 'kid', 'skill', 'input_sha256', 'status', 'started_at', 'ended_at', 'runtime'];
const LISTS = ['grants', 'files', 'tool_calls', 'handoffs'];

/**
 * All that this page reads is there and of its type; the API holds receipts against the whole schema when
 * they are handed in.
 */
function isPayload(value: unknown): value is ReceiptPayload {
  if (!isObject(value) || value['type'] !== 'svc.receipt.v1') return false;
  const { agent, caller, seq, duration_ms: ms, previous_sha256: before, output_sha256: output } = value;
  return (
    TEXTS.every((name) => typeof value[name] === 'string') &&
    LISTS.every((name) => Array.isArray(value[name])) &&
    isObject(agent) &&
    typeof agent['name'] === 'string' &&
    typeof agent['version'] === 'string' &&
    isObject(caller) &&
    typeof caller['kind'] === 'string' &&
    typeof ms === 'number' &&
    typeof seq === 'number' &&
    Number.isInteger(seq) &&
    seq >= 1 &&
    isTextOrNull(before) &&
    isTextOrNull(output) &&
    (value['left_out'] === undefined || isObject(value['left_out'])) &&
    (value['decisions'] === undefined || (Array.isArray(value['decisions']) && value['decisions'].every(isObject)))
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
