// Receipts beside a statement: each line's receipt is found, signed by a published key, and of a call that
// qualifies.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import { decodeReceipt, ReceiptInvalid } from '#contract/wire/receipt.ts';
import type { StatementLine, StatementPayload } from '#contract/wire/statement.ts';
import type { StatementKey } from '#contract/wire/statement-check.ts';
import { UsageError } from '../lib/errors.ts';
import { verifySignature } from './signature.ts';

export interface Receipts {
  /** Undefined: it does not exist. */
  find(line: StatementLine): Promise<string | undefined>;
}

/** What is wrong with the receipt of a line; undefined: nothing, or the line has none. */
export async function receiptFault(
  line: StatementLine,
  { account }: StatementPayload,
  of: { receipts: Receipts; keyOf(kid: string): StatementKey | undefined },
): Promise<string | undefined> {
  if (line.receipt_id === null) return undefined;
  const token = await of.receipts.find(line);
  if (token === undefined) return 'its receipt is not among those that were given';
  try {
    const { payload, bytes, signature } = decodeReceipt(token);
    const key = of.keyOf(payload.kid);
    if (sha256Hex(bytes) !== line.receipt_sha256) return 'its receipt is not the one whose hash was signed';
    if (payload.receipt_id !== line.receipt_id) return `its receipt says that it is ${payload.receipt_id}`;
    if (!key || !(await verifySignature(signature, bytes, key.bytes))) return 'no published key signed its receipt';
    const ended = Date.parse(payload.ended_at);
    if (ended < (key.notBefore ?? ended) || ended > (key.notAfter ?? ended)) return `the key of its receipt was not good at ${payload.ended_at}`;
    if (payload.status !== 'ok') return `its call ended with ${payload.status}, so it does not qualify`;
    if (payload.caller.id === account) return 'its caller is the account that was paid, so it does not qualify';
    if (payload.skill !== line.skill || payload.agent.name !== line.agent) return `its receipt is of ${payload.agent.name}.${payload.skill}`;
    const cost = chargedBy(payload);
    if (cost !== undefined && cost !== line.charged_micros) return `its receipt states a cost of ${cost} micro-credits, not ${line.charged_micros}`;
    return undefined;
  } catch (error) {
    if (error instanceof ReceiptInvalid) return `its receipt cannot be read: ${error.message}`;
    throw error;
  }
}

/** What the receipt itself says that the call cost; undefined: it says nothing of it. */
function chargedBy(payload: object): number | undefined {
  const charge: unknown = 'charge' in payload ? payload.charge : undefined;
  const amount: unknown = typeof charge === 'object' && charge !== null && 'amount_micros' in charge ? charge.amount_micros : undefined;
  return typeof amount === 'number' ? amount : undefined;
}

/**
 * From a file with one receipt on each line, as svc payouts statement --receipts writes it, or only tokens.
 * In the order of the statement it needs no memory.
 */
export function receiptsInFile(path: string): Receipts {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const ahead = new Map<string, string>();
  const look = async (id: string): Promise<string | undefined> => {
    const known = ahead.get(id);
    // Kept: an adjustment may name the same one again.
    if (known !== undefined) return known;
    for (let next = await lines.next(); !next.done; next = await lines.next()) {
      const receipt = receiptIn(next.value);
      if (receipt?.id === id) return receipt.token;
      if (receipt) ahead.set(receipt.id, receipt.token);
    }
    return undefined;
  };
  // One after the other: several lines are checked at a time, and there is one place in the file.
  let last: Promise<unknown> = Promise.resolve();
  return {
    find: ({ receipt_id }) => {
      const lookup = last.then(() => look(receipt_id ?? ''));
      last = lookup.catch(() => undefined);
      return lookup;
    },
  };
}

/** The id and token of a line, not verified yet: verifying here, too, would take twice as long. */
function receiptIn(text: string): { id: string; token: string } | undefined {
  if (text.trim() === '') return undefined;
  const named = text.trimStart().startsWith('{') ? Named.safeParse(jsonOf(text)).data : undefined;
  if (named) return { id: named.receipt_id, token: named.token };
  try {
    const token = text.trim();
    return { id: decodeReceipt(token).payload.receipt_id, token };
  } catch (error) {
    if (error instanceof ReceiptInvalid) throw new UsageError(`The file of receipts has a line that is none: ${error.message}.`);
    throw error;
  }
}

const Named = z.object({ receipt_id: z.string(), token: z.string() });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
