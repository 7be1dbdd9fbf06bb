// What the guest's first process is asked for (guest/control.c): one operation byte, then its fields.
import { randomBytes } from 'node:crypto';

export const freezeRequest = (): Buffer => Buffer.from([1]);

/** The clock, entropy for the kernel and a nonce for parked programs, the machine's name. */
export function resumeRequest(name: string): Buffer {
  const clock = Buffer.alloc(8);
  clock.writeBigUInt64LE(BigInt(Date.now()) * 1_000_000n);
  return Buffer.concat([Buffer.from([2]), clock, randomBytes(32), randomBytes(64), Buffer.from(name.slice(0, 63))]);
}

export function environmentRequest(env: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat([Buffer.from([5]), Buffer.from(Object.entries(env).map(([name, value]) => `${name}=${value}\0`).join(''))]); // prettier-ignore
}

export const terminateRequest = (): Buffer => Buffer.from([6]);
export const countRequest = (): Buffer => Buffer.from([7]);

export function killRequest(stream: number): Buffer {
  const request = Buffer.from([4, 0, 0, 0, 0]);
  request.writeUInt32LE(stream, 1);
  return request;
}
