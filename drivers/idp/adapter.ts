// What oidc-provider remembers, in one table. Tokens, codes and session ids are stored as hashes: a reader of
// the table holds none.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { errors, type Adapter, type AdapterFactory, type AdapterPayload } from 'oidc-provider';
import type { Vault } from '../vault/port.ts';

/** `clients`: of our own there are no rows; others are found where their ids lead. */
export function knexAdapter(db: Knex, vault: Vault, clients: (id: string) => Promise<AdapterPayload | undefined> = async () => undefined): AdapterFactory {
  return (kind) => {
    const adapter = new KnexAdapter(db, vault, kind);
    if (kind === 'Client') adapter.find = clients;
    return adapter;
  };
}

/** Of the table oidc_payload, what is read here. */
interface StoredRow {
  payload: unknown;
  consumed_at: Date | null;
}

class KnexAdapter implements Adapter {
  readonly #db: Knex;
  readonly #vault: Vault;
  readonly #kind: string;

  constructor(db: Knex, vault: Vault, kind: string) {
    this.#db = db;
    this.#vault = vault;
    this.#kind = kind;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { jti: _jti, ...rest } = payload;
    requireStorable(rest);
    // Found by another key, the id itself is needed again: sealed, as only this process may read it.
    const encryptedId = payload.uid || payload.userCode ? { sealed_id: await this.#vault.seal(Buffer.from(id), this.#context()) } : {};
    const row = {
      payload: JSON.stringify({ ...rest, ...encryptedId }),
      grant_id: payload.grantId ?? null,
      user_code: payload.userCode ? hash(payload.userCode) : null,
      uid: payload.uid ?? null,
      expires_at: expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1000),
    };
    await this.#db('oidc_payload')
      .insert({ kind: this.#kind, id: hash(id), ...row })
      .onConflict(['kind', 'id'])
      .merge();
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await this.#db('oidc_payload')
      .where({ kind: this.#kind, id: hash(id) })
      .first();
    return row && toPayload(row, id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    if (uid.includes('\0')) return undefined;
    return this.#opened(await this.#db('oidc_payload').where({ kind: this.#kind, uid }).first());
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#opened(
      await this.#db('oidc_payload')
        .where({ kind: this.#kind, user_code: hash(userCode) })
        .first(),
    );
  }

  /** Of two that come at once only one may continue, or one code or refresh token would be redeemed twice. */
  async consume(id: string): Promise<void> {
    const consumed = await this.#db('oidc_payload')
      .where({ kind: this.#kind, id: hash(id) })
      .whereNull('consumed_at')
      .update({ consumed_at: this.#db.fn.now() });
    if (consumed === 0) throw new errors.InvalidGrant('already used');
  }

  async destroy(id: string): Promise<void> {
    await this.#db('oidc_payload')
      .where({ kind: this.#kind, id: hash(id) })
      .delete();
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#db('oidc_payload').where({ kind: this.#kind, grant_id: grantId }).delete();
  }

  async #opened(row: StoredRow | undefined): Promise<AdapterPayload | undefined> {
    if (!row) return undefined;
    const { sealed_id: sealed, ...payload } = storedPayload(row);
    if (!sealed) return undefined;
    const id = Buffer.from(await this.#vault.open(sealed, this.#context())).toString();
    return toPayload({ ...row, payload }, id);
  }

  #context(): string {
    return `oidc_payload:${this.#kind}:id`;
  }
}

/**
 * Parameters of a request are in it, and go back to their sender as they came: what the column cannot hold is
 * refused.
 */
function requireStorable(payload: object): void {
  JSON.stringify(payload, (_, value: unknown) => {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
      throw new errors.InvalidRequest('a parameter holds a character that is none');
    return value;
  });
}

/** Kinds whose late second use differs from an unknown token: it revokes what the first use got. */
const SINGLE_USE_KINDS = ['AuthorizationCode', 'RefreshToken'];

/** Removes what has expired: those kinds a day later, everything else at once. */
export async function removeExpired(db: Knex): Promise<number> {
  return db('oidc_payload')
    .where('expires_at', '<', db.fn.now())
    .andWhere((query) => query.whereNotIn('kind', SINGLE_USE_KINDS).orWhere('expires_at', '<', db.raw("now() - interval '1 day'")))
    .delete();
}

function toPayload(row: StoredRow, id: string): AdapterPayload {
  const { sealed_id: _sealed, ...payload } = storedPayload(row);
  const consumed = row.consumed_at ? { consumed: Math.floor(row.consumed_at.getTime() / 1000) } : {};
  return { ...payload, jti: id, ...consumed };
}

// Safe: only `upsert` above writes this column.
function storedPayload(row: StoredRow): AdapterPayload & { sealed_id?: string } {
  return row.payload as AdapterPayload & { sealed_id?: string };
}

/** As ids are stored. */
export function hash(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

/** Sessions of all browsers. Grants and refresh tokens of programs stay. */
export async function endSessions(db: Knex, subject: string): Promise<void> {
  await db('oidc_payload').where({ kind: 'Session' }).whereRaw("payload->>'accountId' = ?", [subject]).delete();
}

/** By the hash of its id: its refresh tokens give nothing any more. */
export async function endGrant(db: Knex, hashOfId: string): Promise<void> {
  await db('oidc_payload').where({ kind: 'Grant', id: hashOfId }).delete();
}
