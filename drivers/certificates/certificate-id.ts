// How an authority is asked about one certificate (RFC 9773, 4.1): the identifier of the key that signed it,
// and its serial number.
import { X509Certificate } from 'node:crypto';

/** Object identifier 2.5.29.35 in DER. */
const AUTHORITY_KEY = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x23]);

/** Undefined for a certificate that does not name the key that signed it. */
export function certificateId(chain: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(chain);
  const at = raw.indexOf(AUTHORITY_KEY);
  if (at === -1) return undefined;
  // An octet string around a sequence whose first element, tagged [0], is the identifier; each shorter than
  // 128 bytes.
  const extension = raw.subarray(at + AUTHORITY_KEY.length);
  const length = extension[5] ?? 0;
  if (extension[0] !== 0x04 || extension[2] !== 0x30 || extension[4] !== 0x80 || length === 0 || length > 127) return undefined;
  const keyId = extension.subarray(6, 6 + length);
  const serial = Buffer.from(serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`, 'hex');
  // DER keeps whole numbers positive by a byte of zeros.
  const whole = (serial[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), serial]) : serial;
  return `${keyId.toString('base64url')}.${whole.toString('base64url')}`;
}
