// Is a receipt one of ours: sealed by a key we publish, within that key's time?
import { verifyAsync } from '@noble/ed25519';
import type { Knex } from 'knex';
import { decodeReceipt, type DecodedReceipt, ReceiptInvalid } from '#contract/wire/receipt.ts';
import type { ReceiptKeysRow } from '#db/tables.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { publicKeyOf } from './keys.ts';

type Key = Pick<ReceiptKeysRow, 'public_key' | 'not_before' | 'not_after'>;

/** @throws BadRequest receipt_invalid, receipt_key_unknown, receipt_outside_key */
export async function verifiedReceipt(db: Knex, token: string): Promise<DecodedReceipt> {
  return verifiedBy(token, async (kid) => db('receipt_keys').where({ kid }).first('public_key', 'not_before', 'not_after'));
}

/** verifiedReceipt with keys that are there. */
export async function verifiedBy(token: string, keyOf: (kid: string) => Promise<Key | undefined>): Promise<DecodedReceipt> {
  const decoded = decode(token);
  return verified(decoded, await keyOf(decoded.payload.kid));
}

async function verified(decoded: DecodedReceipt, key: Key | undefined): Promise<DecodedReceipt> {
  const { payload, bytes, signature } = decoded;
  if (!key) throw new BadRequest('receipt_key_unknown', 'No published key has this key id (kid)');
  if (!(await verifyAsync(signature, bytes, publicKeyOf(key), { zip215: false }))) {
    throw new BadRequest('receipt_invalid', 'The signature does not match the payload: send the token as it was issued');
  }
  const endedAt = Date.parse(payload.ended_at);
  if (!(key.not_before.getTime() <= endedAt && endedAt <= key.not_after.getTime())) {
    throw new BadRequest('receipt_outside_key', 'The call ended outside the time its key was valid for');
  }
  return decoded;
}

function decode(token: string): DecodedReceipt {
  try {
    return decodeReceipt(token);
  } catch (error) {
    if (error instanceof ReceiptInvalid) throw new BadRequest('receipt_invalid', `${error.message}; send the token as it was issued`);
    throw error;
  }
}
