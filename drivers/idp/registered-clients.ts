// Clients that registered themselves (RFC 7591). Each is a row of oidc_payload that ends with its time:
// nobody has checked what it says of itself.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { ClientMetadata } from 'oidc-provider';
import { z } from 'zod';
import { hash } from './adapter.ts';

/** So long a client that nobody has signed in with may come back: programs keep their registration. */
const UNUSED_SECONDS = 7 * 86_400;
/** From the last token: longer than any sign-in lasts. */
const USED_SECONDS = 90 * 86_400;
/** Of those never used; the oldest go first. */
const MAX_UNUSED = 5_000;

const KIND = 'Client';
const ID = /^reg_[\w-]{32}$/;
/** As `add` writes it. */
const Stored = z.looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()) });

export interface RegisteredClients {
  /** @returns the client with its id */
  add(metadata: Omit<ClientMetadata, 'client_id'>): Promise<ClientMetadata>;
  find(clientId: string): Promise<ClientMetadata | undefined>;
  remove(clientId: string): Promise<void>;
  /** It got a token: it is kept longer. */
  used(clientId: string): Promise<void>;
}

/** A client that named itself. */
export function isRegistered(clientId: string): boolean {
  return ID.test(clientId);
}

export function registeredClients(db: Knex): RegisteredClients {
  const row = (clientId: string) => db('oidc_payload').where({ kind: KIND, id: hash(clientId) });
  return {
    async add(metadata) {
      const client = { ...metadata, client_id: `reg_${randomBytes(24).toString('base64url')}` };
      await db.raw('insert into oidc_payload (kind, id, payload, expires_at) values (?, ?, ?, now() + make_interval(secs => ?))', [
        KIND,
        hash(client.client_id),
        JSON.stringify(client),
        UNUSED_SECONDS,
      ]);
      const unused = db('oidc_payload').where({ kind: KIND }).whereNull('consumed_at');
      await db('oidc_payload').where({ kind: KIND }).whereIn('id', unused.orderBy('expires_at', 'desc').offset(MAX_UNUSED).select('id')).delete();
      return client;
    },
    async find(clientId) {
      if (!isRegistered(clientId)) return undefined;
      const stored = await row(clientId).where('expires_at', '>', db.fn.now()).first('payload');
      return stored && Stored.parse(stored.payload);
    },
    async remove(clientId) {
      await row(clientId).delete();
    },
    async used(clientId) {
      if (!isRegistered(clientId)) return;
      await db.raw(
        'update oidc_payload set expires_at = now() + make_interval(secs => ?), consumed_at = coalesce(consumed_at, now()) where kind = ? and id = ?',
        [USED_SECONDS, KIND, hash(clientId)],
      );
    },
  };
}
