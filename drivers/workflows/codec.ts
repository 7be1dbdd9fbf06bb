// What workflows are given and answer, and the texts of their failures, are encrypted before they leave this
// process: the engine's database holds nothing to read. AES-256-GCM under a key that the vault derives, which
// stays the same when the vault's keys are replaced. What was written before is read as it is.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Vault } from '../vault/port.ts';

const PURPOSE = 'payloads of workflows';
const ENCODING = 'binary/encrypted';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
// The package has no named exports for Node's own loader.
const message = proto.temporal.api.common.v1.Payload;

export function encryptedPayloads({ derive }: Pick<Vault, 'derive'>): PayloadCodec {
  return {
    async encode(payloads) {
      const key = await derive(PURPOSE);
      return payloads.map((payload) => encrypt(key, payload));
    },
    async decode(payloads) {
      const key = await derive(PURPOSE);
      return payloads.map((payload) => (encodingOf(payload) === ENCODING ? decrypt(key, payload) : payload));
    },
  };
}

const encodingOf = ({ metadata }: Payload): string => Buffer.from(metadata?.['encoding'] ?? []).toString();

function encrypt(key: Uint8Array, payload: Payload): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const data = Buffer.concat([nonce, cipher.update(message.encode(payload).finish()), cipher.final(), cipher.getAuthTag()]);
  return { metadata: { encoding: Buffer.from(ENCODING) }, data };
}

/** @throws Error where it was changed, or encrypted by another installation */
function decrypt(key: Uint8Array, { data }: Payload): Payload {
  const bytes = Buffer.from(data ?? []);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)), decipher.final()]);
  return message.decode(plain);
}
