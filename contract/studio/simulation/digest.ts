// The chain of digests: SHA-256 of the digest before and of everything that happened in the step, in order.
// Integers are signed, 64 bits, big-endian.
import { canonicalDigest } from '../../wire/sha256.ts';

export class Recorder {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Only safe integers. */
  add(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow();
    this.#view.setInt32(this.#length, Math.floor(value / 4_294_967_296));
    this.#view.setUint32(this.#length + 4, value >>> 0);
    this.#length += 8;
  }

  /** What was added since the last call. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** What the chain begins with: the engine and everything that was given to it. */
export const genesisOf = (given: unknown): Promise<string> => canonicalDigest(given);

/** `before`: 64 hexadecimal characters. */
export async function chained(before: string, bytes: Uint8Array): Promise<string> {
  const block = new Uint8Array(32 + bytes.length);
  for (let at = 0; at < 32; at += 1) block[at] = Number.parseInt(before.slice(at * 2, at * 2 + 2), 16);
  block.set(bytes, 32);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', block));
  let text = '';
  for (const byte of digest) text += byte.toString(16).padStart(2, '0');
  return text;
}
