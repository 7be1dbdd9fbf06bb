// Checks of a receipt: its own content, the published keys, and what the reader has beside it.
import { canonicalDigest, digestOf } from '#contract/wire/sha256.ts';
import { webCrypto } from '#contract/wire/secure-context.ts';
import type { Output } from '../../api/client.ts';
import { exact } from '../../kit/time.ts';
import { type Decoded, decode, NotAReceipt } from './decode.ts';
import { keyBytes, verifySignature } from '../../kit/ed25519.ts';

export type PublishedKey = Output<'public', 'receiptKeys'>['keys'][number];

export interface Check {
  /** Of a receipt as CheckLine says it in words; of a proof in words. */
  name: string;
  /** open: the reader does not have what it takes to say; running: it takes a moment. */
  is: 'passed' | 'failed' | 'open' | 'running';
  /** What was found; of a failed one: what that means. */
  says: string;
}

export interface Beside {
  /** The payload's hash of the receipt before it in the agent's chain. */
  previous?: string | undefined;
  args?: unknown;
  result?: unknown;
}

export interface Verdict {
  checks: Check[];
  /** Absent: it could not be read. */
  decoded?: Decoded;
  /** Undefined: checks are running. */
  isValid: boolean | undefined;
}

/**
 * What is seen at once, before its signature is verified and what is beside it is hashed. @param exactly how
 * times are written
 */
export function seenAtOnce(token: string, keys: readonly PublishedKey[], beside: Beside, exactly: (at: string) => string): Verdict {
  let decoded: Decoded;
  try {
    decoded = decode(token);
  } catch {
    return { checks: [], isValid: undefined };
  }
  return { checks: checksAtOnce(decoded, keys, beside, exactly), decoded, isValid: undefined };
}

export async function checkReceipt(token: string, keys: readonly PublishedKey[], beside: Beside = {}): Promise<Verdict> {
  let decoded: Decoded;
  try {
    decoded = decode(token);
  } catch (error) {
    if (!(error instanceof NotAReceipt)) throw error;
    return { checks: [{ name: 'form', is: 'failed', says: error.message }], isValid: false };
  }
  const { payload } = decoded;
  const running: Partial<Record<string, Promise<Check>>> = {
    signature: openWithout('signature', () => signatureCheck(decoded, keyOf(payload, keys))),
    arguments: openWithout('arguments', () => digestCheck('arguments', payload.input_sha256, 'args' in beside, beside.args)),
    result: openWithout('result', () => digestCheck('result', payload.output_sha256, 'result' in beside, beside.result)),
  };
  const checks = await Promise.all(checksAtOnce(decoded, keys, beside, exact).map(async (check) => await (running[check.name] ?? check)));
  const signed = checks.some(({ name, is }) => name === 'signature' && is === 'passed');
  return { checks, decoded, isValid: signed && checks.every(({ is }) => is !== 'failed') };
}

/** A browser that cannot check says so: it must not call a good receipt a changed one. */
async function openWithout(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    webCrypto();
  } catch (error) {
    if (error instanceof Error) return { name, is: 'open', says: error.message };
    throw error;
  }
  return check();
}

/** All of them, in their order; those that take a moment are running. */
function checksAtOnce({ payload }: Decoded, keys: readonly PublishedKey[], { previous }: Beside, exactly: (at: string) => string): Check[] {
  const key = keyOf(payload, keys);
  const running = (name: string): Check => ({ name, is: 'running', says: 'This browser is checking it.' });
  return [
    { name: 'form', is: 'passed', says: 'It is a receipt in canonical form.' },
    keyCheck(payload.kid, key),
    running('signature'),
    timeCheck(payload.ended_at, key, exactly),
    chainCheck(payload, previous),
    running('arguments'),
    running('result'),
  ];
}

const keyOf = (payload: Decoded['payload'], keys: readonly PublishedKey[]): PublishedKey | undefined => keys.find(({ kid }) => kid === payload.kid);

function keyCheck(kid: string, key: PublishedKey | undefined): Check {
  if (key) return { name: 'key', is: 'passed', says: `${kid} is published here${key.current ? ', and signs receipts now' : ''}.` };
  return { name: 'key', is: 'failed', says: `${kid} is not published here: the receipt is of another installation, or it is forged.` };
}

async function signatureCheck({ signature, bytes }: Decoded, key: PublishedKey | undefined): Promise<Check> {
  const publicKey = key && keyBytes(key.public_key);
  if (!publicKey) return { name: 'signature', is: 'open', says: 'Without its key the signature cannot be checked.' };
  if (await verifySignature(signature, bytes, publicKey)) return { name: 'signature', is: 'passed', says: 'The key signed exactly this content.' };
  return { name: 'signature', is: 'failed', says: 'The content is not what was signed: it was changed. Do not rely on it.' };
}

function timeCheck(ended: string, key: PublishedKey | undefined, exactly: (at: string) => string): Check {
  const name = 'dates';
  if (!key) return { name, is: 'open', says: 'Without its key there are no dates.' };
  const [at, from, to] = [Date.parse(ended), Date.parse(key.not_before), Date.parse(key.not_after)];
  if (at >= from && at <= to)
    return { name, is: 'passed', says: `The call ended while the key was valid, from ${exactly(key.not_before)} to ${exactly(key.not_after)}.` };
  return {
    name,
    is: 'failed',
    says: `The receipt states that the call ended at ${exactly(ended)}, when the key was not valid: the time is wrong, or the key was stolen.`,
  };
}

function chainCheck({ seq, previous_sha256: link }: Decoded['payload'], previous: string | undefined): Check {
  const name = 'chain';
  if ((seq === 1) !== (link === null))
    return {
      name,
      is: 'failed',
      says: seq === 1 ? 'It is the first of its agent and yet links to another.' : `It is number ${seq} of its agent and links to none.`,
    };
  if (link === null) return { name, is: 'passed', says: 'It is the first receipt of its agent.' };
  if (previous === undefined) return { name, is: 'open', says: `It is number ${seq} and links to number ${seq - 1}, which is not available here.` };
  if (previous === link) return { name, is: 'passed', says: `It is number ${seq} and links to number ${seq - 1}, which is unchanged.` };
  return { name, is: 'failed', says: `It is number ${seq}, and its link does not match number ${seq - 1}: one of the two was replaced.` };
}

const DIGESTS = {
  arguments: {
    open: 'The arguments are not available here',
    same: 'The given arguments are those of the call',
    other: 'The given arguments are not those of the call',
  },
  result: { open: 'The result is not available here', same: 'The given result is that of the call', other: 'The given result is not that of the call' },
};

async function digestCheck(name: keyof typeof DIGESTS, digest: string | null, isKnown: boolean, value: unknown): Promise<Check> {
  const { open, same, other } = DIGESTS[name];
  if (digest === null) return { name, is: 'passed', says: 'The call gave none, and the receipt names none.' };
  if (!isKnown) return { name, is: 'open', says: `${open}; the receipt has the SHA-256 ${digest}.` };
  if ((await canonicalDigest(value).catch(() => undefined)) === digest) return { name, is: 'passed', says: `${same}: the SHA-256 is the one that was signed.` };
  return { name, is: 'failed', says: `${other}: the SHA-256 is not the one that was signed.` };
}

export const payloadSha256 = ({ bytes }: Decoded): Promise<string> => digestOf(bytes);
