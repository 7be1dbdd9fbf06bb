// The keys that seal receipts. The newest whose window holds a call's end seals it; every key stays
// published.
import type { Knex } from 'knex';
import { getPublicKeyAsync, utils } from '@noble/ed25519';
import type { ReceiptKeysRow } from '#db/tables.ts';
import type { Vault } from '#drivers/vault/port.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';

const dayMs = 24 * 3_600_000;
export const keyLifetimeMs = 90 * dayMs;
/** A new key also covers calls that ended shortly before it was made, as far back as no older key does. */
const reachBackMs = dayMs;

/**
 * A key that may seal what ended at `endedAt`; made when there is none, which is also how keys are renewed.
 */
export async function ensureReceiptKey(ctx: TxCtx, endedAt: number): Promise<ReceiptKeysRow> {
  const key = await keyFor(ctx.db, endedAt);
  if (key) return key;
  await lockKeys(ctx.db);
  return (await keyFor(ctx.db, endedAt)) ?? createKey(ctx, await uncoveredSince(ctx.db, endedAt));
}

async function uncoveredSince(db: Knex, endedAt: number): Promise<number> {
  const older = await db('receipt_keys').where('not_after', '<', new Date(endedAt).toISOString()).orderBy('not_after', 'desc').first('not_after');
  return Math.max(endedAt - reachBackMs, older?.not_after.getTime() ?? 0);
}

/** The newest key whose window holds `endedAt`. */
export async function keyFor(db: Knex, endedAt: number): Promise<ReceiptKeysRow | undefined> {
  const [row] = await keysFor(db, endedAt);
  return row;
}

/** As a query, for a part of another. With `since`: the window holds that time too. */
export function keysFor(db: Knex, endedAt: number, since = endedAt) {
  const from = new Date(since).toISOString();
  const to = new Date(endedAt).toISOString();
  return db('receipt_keys').where('not_before', '<=', from).where('not_after', '>=', to).orderBy('not_before', 'desc').orderBy('kid', 'desc').limit(1);
}

/** One maker of keys at a time, in all processes; until the transaction ends. */
export async function lockKeys(tx: Knex.Transaction): Promise<void> {
  await tx.raw(`select pg_advisory_xact_lock(hashtext('svc.receipt_keys'))`);
}

/**
 * Call it under `lockKeys`. The key is good from `notBefore` (milliseconds since the epoch) until its
 * lifetime from now.
 */
export async function createKey(ctx: TxCtx, notBefore: number): Promise<ReceiptKeysRow> {
  const now = ctx.clock();
  const kid = newId('key', now);
  const privateKey = utils.randomSecretKey();
  const [row] = await ctx
    .db('receipt_keys')
    .insert({
      kid,
      public_key: Buffer.from(await getPublicKeyAsync(privateKey)).toString('base64'),
      private_sealed: await ctx.drivers.vault.seal(privateKey, receiptKeyContext(kid)),
      not_before: new Date(notBefore).toISOString(),
      not_after: new Date(Math.max(now, notBefore) + keyLifetimeMs).toISOString(),
    })
    .returning('*');
  if (!row) throw new Error('the new receipt key was not stored');
  return row;
}

export function publicKeyOf(row: Pick<ReceiptKeysRow, 'public_key'>): Uint8Array {
  return new Uint8Array(Buffer.from(row.public_key, 'base64'));
}

const maxOpenKeys = 4;
/**
 * Opened private keys, per vault, the newest few. A key id never comes to mean another key, so nothing here
 * goes stale.
 */
const openKeys = new WeakMap<Vault, Map<string, Uint8Array>>();

export async function openPrivateKey(vault: Vault, row: Pick<ReceiptKeysRow, 'kid' | 'private_sealed'>): Promise<Uint8Array> {
  const open = openKeys.get(vault) ?? new Map<string, Uint8Array>();
  openKeys.set(vault, open);
  const known = open.get(row.kid);
  if (known) return known;
  const privateKey = await vault.open(row.private_sealed, receiptKeyContext(row.kid));
  const [oldest] = open.keys();
  if (open.size >= maxOpenKeys && oldest !== undefined) open.delete(oldest);
  open.set(row.kid, privateKey);
  return privateKey;
}

/** Sealed values open only where they were sealed for. */
export function receiptKeyContext(kid: string): string {
  return `receipt-key/${kid}`;
}
