// What a receipt's token says of itself, when its signature holds. Large ones are checked in a thread: a
// receipt may name thousands of files, and takes forty milliseconds of a processor to be read, written anew
// and verified.
import type { Knex } from 'knex';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import type { ReceiptKeysRow } from '#db/tables.ts';
import { DomainError } from '../../kernel/errors.ts';
import { fairThreads } from '../../kernel/fair-threads.ts';
import { verifiedBy } from './verify.ts';

type SigningKey = Pick<ReceiptKeysRow, 'kid' | 'public_key' | 'not_before' | 'not_after'>;

/** Of what was signed. */
export interface SignedSummary extends Pick<ReceiptPayload, 'receipt_id' | 'skill' | 'status' | 'seq' | 'kid' | 'ended_at'> {
  agent: string;
  sha256: string;
}

export interface ReceiptTask {
  token: string;
  keys: readonly SigningKey[];
}
export type ReceiptCheck = { signed: SignedSummary; problem?: undefined } | { signed?: undefined; problem: string };

const threads = fairThreads<ReceiptTask, ReceiptCheck>('The thread that checks receipts', new URL('./check-thread.ts', import.meta.url), {
  threads: 1,
  pieceMs: 10_000,
  waitingOfAccount: 500,
});
export const receiptThreadCounts = threads.counts;

/** Two milliseconds of a processor. */
const MAX_LENGTH_HERE = 65_536;

/** Each key is read once for all that are checked. @param account whose receipts they are */
export function receiptChecker(db: Knex, account: string): (token: string) => Promise<ReceiptCheck> {
  let known: Promise<SigningKey[]> | undefined;
  return async (token) => {
    const task = { token, keys: await (known ??= keysIn(db)) };
    if (token.length <= MAX_LENGTH_HERE) return checkHere(task);
    // One that is not checked is not called invalid.
    return (await threads.tryAsk(account, task)) ?? checkHere(task);
  };
}

async function keysIn(db: Knex): Promise<SigningKey[]> {
  return db('receipt_keys').select('kid', 'public_key', 'not_before', 'not_after');
}

export async function checkHere({ token, keys }: ReceiptTask): Promise<ReceiptCheck> {
  try {
    const { payload, bytes } = await verifiedBy(token, async (wanted) => keys.find(({ kid }) => kid === wanted));
    const { receipt_id, skill, status, seq, kid, ended_at, agent } = payload;
    return { signed: { receipt_id, skill, status, seq, kid, ended_at, agent: agent.name, sha256: sha256Hex(bytes) } };
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.message };
    throw error;
  }
}
