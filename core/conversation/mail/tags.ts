// The part behind the `+` of our addresses: which conversation an answer belongs to, and which mail a bounce
// is about. Signed, so that a forged one reaches nothing.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Vault } from '#drivers/vault/port.ts';

/** `t`: a conversation of a mailbox; `b`: a mail that was sent. */
export type TagKind = 't' | 'b';

const TAG = /^([tb])([0-9a-z]{1,11})-([0-9a-z]{16})$/;

export async function makeTag(vault: Vault, kind: TagKind, number: number): Promise<string> {
  const named = `${kind}${number.toString(36)}`;
  return `${named}-${await macOf(vault, named)}`;
}

/** Undefined: it is none of ours. */
export async function readTag(vault: Vault, kind: TagKind, tag: string): Promise<number | undefined> {
  const [, of, number, mac] = TAG.exec(tag) ?? [];
  if (of !== kind || number === undefined || mac === undefined) return undefined;
  const right = await macOf(vault, of + number);
  return timingSafeEqual(Buffer.from(mac), Buffer.from(right)) ? Number.parseInt(number, 36) : undefined;
}

/** 80 bits, in letters that survive a change of case. */
async function macOf(vault: Vault, named: string): Promise<string> {
  const mac = createHmac('sha256', await vault.derive('mail tags'))
    .update(named)
    .digest();
  return BigInt(`0x${mac.subarray(0, 11).toString('hex')}`)
    .toString(36)
    .padStart(17, '0')
    .slice(-16);
}
