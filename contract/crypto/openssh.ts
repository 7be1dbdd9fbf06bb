// Ed25519 keys in the form that OpenSSH reads (PROTOCOL.key in its sources): of dev boxes, and of those who
// open them.
import { randomBytes, type KeyPairKeyObjectResult } from 'node:crypto';

const TYPE = 'ssh-ed25519';

function text(bytes: string | Uint8Array): Buffer {
  const body = Buffer.from(bytes);
  return Buffer.concat([number(body.length), body]);
}

function number(value: number): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32BE(value);
  return word;
}

/** An Ed25519 pair as files of OpenSSH; the public one without a comment. */
export function openSshKeys({ privateKey, publicKey }: KeyPairKeyObjectResult): { private: string; public: string } {
  const part = (key: KeyPairKeyObjectResult['privateKey'], name: 'd' | 'x'): Buffer => Buffer.from(String(key.export({ format: 'jwk' })[name]), 'base64url');
  const [seed, point] = [part(privateKey, 'd'), part(publicKey, 'x')];
  const blob = Buffer.concat([text(TYPE), text(point)]);
  const check = randomBytes(4);
  const inner = Buffer.concat([check, check, text(TYPE), text(point), text(Buffer.concat([seed, point])), text('')]);
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, index) => index + 1));
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    text('none'),
    text('none'),
    text(''),
    number(1),
    text(blob),
    text(Buffer.concat([inner, padding])),
  ]);
  const lines = whole.toString('base64').match(/.{1,70}/g) ?? [];
  return {
    private: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    public: `${TYPE} ${blob.toString('base64')}`,
  };
}
