// Ids that sort by time: a prefix and a UUIDv7 (RFC 9562).
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const POOLED_IDS = 64;

/**
 * Random bytes are fetched for 64 ids at a time, for a fetch costs more than a call does otherwise. Clones of one snapshot
 * would share what is left of them: `forget()` after a restore. (crypto.randomUUID() has such a store too, and no way to empty it.)
 */
export class IdSource {
  readonly #pool = Buffer.alloc(ID_BYTES * POOLED_IDS);
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
    const hex = pool.toString('hex', at, at + ID_BYTES);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}
