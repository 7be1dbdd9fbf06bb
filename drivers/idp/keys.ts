// The provider's signing keys, of Ed25519 and of RSA: made once, sealed in the database, shared by every
// process. The first of each kind signs; what the others have signed stays valid.
import { generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Vault } from '../vault/port.ts';

const KIND = 'SigningKeys';
const generate = promisify(generateKeyPair);
const MODULUS_BITS = 2048;
const Stored = z.object({ sealed: z.string() });
const Ed25519 = z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string(), kid: z.string(), alg: z.literal('EdDSA') });
const Rsa = z.looseObject({ kty: z.literal('RSA'), n: z.string(), e: z.string(), d: z.string(), kid: z.string(), alg: z.literal('RS256') });

/** A row of its own for each kind: a version before RSA reads only the first one. */
const KINDS = [
  { id: 'jwks', keys: z.object({ keys: z.array(Ed25519).min(1) }), make: () => newKey('EdDSA') },
  { id: 'rs256', keys: z.object({ keys: z.array(Rsa).min(1) }), make: () => newKey('RS256') },
] as const;
/** Members of a JWK that are secret (RFC 7518 §6.3.2, RFC 8037 §2). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Of a row's sealed keys. */
export const signingKeysContext = (id: string): string => `oidc_payload:${KIND}:${id}`;

export interface SigningKeys {
  private: { keys: JWK[] };
  public: { keys: JWK[] };
}

export async function signingKeys(db: Knex, vault: Vault): Promise<SigningKeys> {
  const keys = (await Promise.all(KINDS.map((kind) => keysOf(db, vault, kind)))).flat();
  return { private: { keys }, public: { keys: keys.map(publicPart) } };
}

async function keysOf(db: Knex, vault: Vault, { id, keys, make }: (typeof KINDS)[number]): Promise<JWK[]> {
  const context = signingKeysContext(id);
  if (!(await db('oidc_payload').where({ kind: KIND, id }).first('id'))) {
    const encryptedKeys = await vault.seal(Buffer.from(JSON.stringify({ keys: [await make()] })), context);
    await db('oidc_payload')
      .insert({ kind: KIND, id, payload: JSON.stringify({ sealed: encryptedKeys }) })
      .onConflict(['kind', 'id'])
      .ignore();
  }
  // Read again in any case: another process may have been first.
  const row = await db('oidc_payload').where({ kind: KIND, id }).first();
  const { sealed } = Stored.parse(row?.payload);
  return keys.parse(JSON.parse(Buffer.from(await vault.open(sealed, context)).toString())).keys;
}

/** A new one of this algorithm. */
export async function newKey(alg: 'EdDSA' | 'RS256'): Promise<JsonWebKey> {
  const { privateKey }: { privateKey: KeyObject } = alg === 'EdDSA' ? await generate('ed25519') : await generate('rsa', { modulusLength: MODULUS_BITS });
  const jwk = privateKey.export({ format: 'jwk' });
  return { ...jwk, kid: await calculateJwkThumbprint(publicPart(jwk)), alg, use: 'sig' };
}

function publicPart(jwk: object): JWK {
  // Safe: a JWK without its secret members is one.
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => !PRIVATE.includes(name))) as JWK;
}
