// Ids that sort by time: a prefix and a UUIDv7 (RFC 9562).
import { randomBytes } from 'node:crypto';

/**
 * Bytes come straight from OpenSSL's generator each time. crypto.randomUUID() would keep a cache of 128 ids in the heap,
 * and two clones of one snapshot would hand out the same ones.
 */
export function newId(prefix: 'run' | 'req'): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${prefix}_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
