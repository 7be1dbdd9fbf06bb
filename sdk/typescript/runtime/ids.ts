// Ids that sort by time: a prefix and a UUIDv7 (RFC 9562).
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const POOLED_IDS = 64;
const TEXT_BYTES = 36;
const HEX = Buffer.from('0123456789abcdef');
const DASH = 0x2d;

/**
 * Random bytes are fetched for 64 ids at a time, for a fetch costs more than a call does otherwise. Clones of
 * one snapshot would share what is left of them: `forget()` after a restore. (crypto.randomUUID() has such a
 * store too, and no way to empty it.)
 */
export class IdSource {
  readonly #pool = Buffer.alloc(ID_BYTES * POOLED_IDS);
  readonly #text = Buffer.alloc(TEXT_BYTES);
  #next = POOLED_IDS;

  forget(): void {
    this.#next = POOLED_IDS;
  }

  uuid(): string {
    if (this.#next >= POOLED_IDS) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const at = this.#next * ID_BYTES;
    this.#next += 1;
    const pool = this.#pool;
    pool.writeUIntBE(Date.now(), at, 6);
    pool.writeUInt8((pool.readUInt8(at + 6) & 0x0f) | 0x70, at + 6);
    pool.writeUInt8((pool.readUInt8(at + 8) & 0x3f) | 0x80, at + 8);
    const text = this.#text;
    for (let i = 0, to = 0; i < ID_BYTES; i += 1) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text[to++] = DASH;
      const byte = pool[at + i] ?? 0;
      text[to++] = HEX[byte >> 4] ?? 0;
      text[to++] = HEX[byte & 15] ?? 0;
    }
    return text.toString('latin1');
  }
}
