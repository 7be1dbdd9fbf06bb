// Passwords as scrypt hashes: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, so that the cost can grow without
// breaking old ones.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = { logN: 15, r: 8, p: 1 };
const HASH_BYTES = 32;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST.logN, COST.r, COST.p);
  return ['scrypt', COST.logN, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Takes as long for an unknown account (`stored` undefined) as for a known one. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [kind, logN, r, p, salt = '', hash = ''] = (stored ?? NOBODY).split('$');
  if (kind !== 'scrypt') return false;
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'), Number(logN), Number(r), Number(p));
  return timingSafeEqual(actual, expected) && stored !== undefined;
}

const NOBODY = ['scrypt', COST.logN, COST.r, COST.p, Buffer.alloc(16).toString('base64url'), Buffer.alloc(HASH_BYTES).toString('base64url')].join('$');

function derive(password: string, salt: Buffer, logN: number, r: number, p: number): Promise<Buffer> {
  const N = 2 ** logN;
  return new Promise((resolve, reject) => {
    // Twice the memory the parameters need (128·N·r bytes); Node's default would refuse them.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
