// The provider's signing key (Ed25519): made once, sealed in the database, shared by every process.
import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Vault } from '../vault/port.ts';

const KIND = 'SigningKeys';
const CONTEXT = 'oidc_payload:SigningKeys:jwks';
const Stored = z.object({ sealed: z.string() });
const PrivateJwks = z.object({
  keys: z
    .array(z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string(), kid: z.string(), alg: z.literal('EdDSA') }))
    .min(1),
});

export interface SigningKeys {
  private: { keys: JWK[] };
  public: { keys: JWK[] };
}

export async function signingKeys(db: Knex, vault: Vault): Promise<SigningKeys> {
  const found = await db('oidc_payload').where({ kind: KIND, id: 'jwks' }).first();
  if (!found) {
    const sealed = await vault.seal(Buffer.from(JSON.stringify({ keys: [await newKey()] })), CONTEXT);
    await db('oidc_payload')
      .insert({ kind: KIND, id: 'jwks', payload: JSON.stringify({ sealed }) })
      .onConflict(['kind', 'id'])
      .ignore();
  }
  // Read again in any case: another process may have been first.
  const row = await db('oidc_payload').where({ kind: KIND, id: 'jwks' }).first();
  const { sealed } = Stored.parse(row?.payload);
  const { keys } = PrivateJwks.parse(JSON.parse(Buffer.from(await vault.open(sealed, CONTEXT)).toString()));
  return { private: { keys }, public: { keys: keys.map(({ d: _private, ...key }) => key) } };
}

async function newKey(): Promise<JsonWebKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicJwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: z.string().parse(publicJwk.x) });
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' };
}
