// Bytes that wait for their reader, copied together. A hostile guest sends them one by one: each as a piece
// of its own would hold an object, and the chunk of the channel that it is a view of, a thousand times its
// size.

const SLAB = 16 * 1024;

export class PendingBytes {
  #slabs: Buffer[] = [];
  /** Bytes in the last one. */
  #filled = 0;

  get empty(): boolean {
    return this.#slabs.length === 0;
  }

  add(bytes: Buffer): void {
    const last = this.#slabs.at(-1);
    if (last !== undefined && last.length - this.#filled >= bytes.length) {
      bytes.copy(last, this.#filled);
      this.#filled += bytes.length;
      return;
    }
    this.#close();
    const fresh = Buffer.allocUnsafeSlow(Math.max(SLAB, bytes.length));
    bytes.copy(fresh);
    this.#slabs.push(fresh);
    this.#filled = bytes.length;
  }

  /** All of them, in one piece; from here on it holds none. */
  take(): Buffer {
    this.#close();
    const slabs = this.#slabs;
    const [first] = slabs;
    this.#slabs = [];
    return slabs.length === 1 && first !== undefined ? first : Buffer.concat(slabs);
  }

  #close(): void {
    const last = this.#slabs.at(-1);
    if (last !== undefined) this.#slabs[this.#slabs.length - 1] = last.subarray(0, this.#filled);
  }
}
