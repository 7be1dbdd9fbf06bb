// Checking receipts offline: the Ed25519 signature, the time the key was good for, and the links of a chain.
import { verifyAsync } from '@noble/ed25519';
import { decodeReceipt, ReceiptInvalid, verifyReceipt, type ReceiptPayload } from '#contract/wire/receipt.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import type { Api } from '../lib/api.ts';
import { UsageError } from '../lib/errors.ts';

/** unverifiable: there was no key to check with. */
export type Verdict =
  | { state: 'valid'; payload: ReceiptPayload; sha256: string; keyFrom: string }
  | { state: 'invalid'; payload: ReceiptPayload | undefined; reason: string }
  | { state: 'unverifiable'; payload: ReceiptPayload; reason: string };

export interface KeySource {
  /** Base64, from --key. */
  option: string | undefined;
  /** Base64, from SVC_RECEIPT_VERIFYING_KEY. */
  environment: string | undefined;
  /** Fetches the platform's published keys. */
  published: () => Promise<PublishedKeys>;
}

type PublishedKeys = Awaited<ReturnType<Api['public']['receiptKeys']>>['keys'];

interface Key {
  bytes: Uint8Array;
  from: string;
  validity?: { notBefore: number; notAfter: number };
}

export async function checkReceipt(token: string, keys: KeySource): Promise<Verdict> {
  let decoded;
  try {
    decoded = decodeReceipt(token);
  } catch (error) {
    if (error instanceof ReceiptInvalid) return { state: 'invalid', payload: undefined, reason: error.message };
    throw error;
  }
  const { payload } = decoded;
  const key = await findKey(payload.kid, keys);
  if ('reason' in key) return { state: 'unverifiable', payload, reason: key.reason };
  try {
    // Strict: as RFC 8032 says, so that every verifier agrees.
    await verifyReceipt(token, key.bytes, (signature, message, publicKey) => verifyAsync(signature, message, publicKey, { zip215: false }));
  } catch (error) {
    if (error instanceof ReceiptInvalid) return { state: 'invalid', payload, reason: error.message };
    throw error;
  }
  const ended = Date.parse(payload.ended_at);
  if (key.validity && (ended < key.validity.notBefore || ended > key.validity.notAfter)) {
    return { state: 'invalid', payload, reason: `key ${payload.kid} was not good at ${payload.ended_at}` };
  }
  return { state: 'valid', payload, sha256: sha256Hex(decoded.bytes), keyFrom: key.from };
}

async function findKey(kid: string, keys: KeySource): Promise<Key | { reason: string }> {
  if (keys.option !== undefined) return { bytes: keyBytes(keys.option, '--key'), from: '--key' };
  if (keys.environment !== undefined) return { bytes: keyBytes(keys.environment, 'SVC_RECEIPT_VERIFYING_KEY'), from: 'SVC_RECEIPT_VERIFYING_KEY' };
  let published: PublishedKeys;
  try {
    published = await keys.published();
  } catch {
    return { reason: "no key is given and the control plane's published keys cannot be fetched" };
  }
  const key = published.find((one) => one.kid === kid);
  if (!key) return { reason: `the control plane publishes no key ${kid}` };
  const validity = { notBefore: Date.parse(key.not_before), notAfter: Date.parse(key.not_after) };
  return { bytes: keyBytes(key.public_key, `published key ${kid}`), from: `published key ${kid}`, validity };
}

function keyBytes(text: string, from: string): Uint8Array {
  const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (bytes.length !== 32) throw new UsageError(`${from} must be an Ed25519 public key: 32 bytes in base64.`);
  return new Uint8Array(bytes);
}

/**
 * What is wrong between valid receipts of one agent; `gaps` are places where receipts in between were not
 * given.
 */
export function checkChain(receipts: readonly { payload: ReceiptPayload; sha256: string }[]): { broken: string[]; gaps: string[] } {
  const broken: string[] = [];
  const gaps: string[] = [];
  for (const [agent, chain] of Map.groupBy(receipts, ({ payload }) => payload.agent.name)) {
    const ordered = chain.toSorted((a, b) => a.payload.seq - b.payload.seq);
    for (const [i, next] of ordered.entries()) {
      const before = ordered[i - 1];
      const { seq, previous_sha256: link } = next.payload;
      if ((seq === 1) !== (link === null))
        broken.push(`${agent}: receipt ${seq} ${link === null ? 'has no link to the one before' : 'is the first and yet links to another'}`);
      if (!before) continue;
      const step = seq - before.payload.seq;
      if (step === 0 && next.sha256 !== before.sha256) broken.push(`${agent}: two different receipts have number ${seq}`);
      if (step === 1 && link !== before.sha256) broken.push(`${agent}: receipt ${seq} does not link to receipt ${seq - 1}`);
      if (step > 1) gaps.push(`${agent}: receipts ${before.payload.seq + 1} to ${seq - 1} were not given, so this part of the chain is not checked`);
    }
  }
  return { broken, gaps };
}
