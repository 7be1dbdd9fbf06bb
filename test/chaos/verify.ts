// A receipt's signature, checked by what is published and nothing else.
import { verifyAsync } from '@noble/ed25519';
import { decodeReceipt } from '#contract/wire/receipt.ts';

export async function verify(token: string, keys: readonly { kid: string; public_key: string }[]): Promise<boolean> {
  const { payload, bytes, signature } = decodeReceipt(token);
  const key = keys.find(({ kid }) => kid === payload.kid);
  return key !== undefined && verifyAsync(signature, bytes, Buffer.from(key.public_key, 'base64url'), { zip215: false });
}
