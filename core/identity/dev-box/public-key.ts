// A caller's public key, taken apart before it goes anywhere near an sshd.
import { BadRequest } from '../../kernel/errors.ts';

const TYPES = new Set([
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]);
const LEAST_RSA_BYTES = 256;

/** `type base64`, without options and comment. @throws BadRequest public_key_invalid */
export function readPublicKey(line: string): string {
  const [type = '', body = ''] = line.trim().split(/[ \t]+/);
  const bytes = Buffer.from(body, 'base64');
  if (!TYPES.has(type) || bytes.toString('base64') !== body) throw invalid();
  const fields = fieldsOf(bytes);
  if (fields === undefined || fields.length < 2 || fields[0]?.toString('latin1') !== type) throw invalid();
  if (type === 'ssh-ed25519' && fields[1]?.length !== 32) throw invalid();
  // The modulus begins with a zero byte.
  if (type === 'ssh-rsa' && (fields[2]?.length ?? 0) <= LEAST_RSA_BYTES)
    throw new BadRequest('public_key_invalid', 'An RSA key needs 2048 bits or more: make one with ssh-keygen -t ed25519');
  return `${type} ${body}`;
}

/** Undefined: the lengths do not add up. */
function fieldsOf(bytes: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

function invalid(): BadRequest {
  return new BadRequest(
    'public_key_invalid',
    'public_key is no public key that SSH takes: send the one line of a .pub file; ssh-keygen -t ed25519 makes a pair',
  );
}
