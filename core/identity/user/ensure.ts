// The row of a person the identity provider vouches for: made at first sight, mended when something changed,
// seen once an hour.
import type { Knex } from 'knex';
import type { UsersRow } from '#db/tables.ts';
import { newId } from '../../kernel/ids.ts';
import { storableText } from '../../kernel/storable.ts';
import { joinTx } from '../../kernel/tx.ts';
import { giveWelcome } from '../../money/credits/welcome.ts';

export interface KnownIdentity {
  issuer: string;
  subject: string;
  email: string;
  name: string | null;
  operator: boolean;
}

const SEEN_MS = 3_600_000;

export async function ensureUser(db: Knex, given: KnownIdentity, now: number): Promise<UsersRow> {
  // A name is shown and nothing else.
  const identity = { ...given, name: given.name === null ? null : storableText(given.name) };
  const { issuer, subject } = identity;
  const row = await db('users').where({ issuer, subject }).first();
  if (row && isCurrent(row, identity, now)) return row;
  return joinTx(db, (tx) => write(tx, identity, now));
}

function isCurrent({ email, name, operator, last_seen_at }: UsersRow, identity: KnownIdentity, now: number): boolean {
  return email === identity.email && name === identity.name && operator === identity.operator && last_seen_at.getTime() >= now - SEEN_MS;
}

async function write(tx: Knex, identity: KnownIdentity, now: number): Promise<UsersRow> {
  const { issuer, subject } = identity;
  const facts = { email: identity.email, name: identity.name, operator: identity.operator };
  const at = new Date(now);
  const user_id = newId('usr', now);
  const [row] = await tx('users')
    .insert({ user_id, issuer, subject, ...facts, created_at: at, last_seen_at: at })
    .onConflict(['issuer', 'subject'])
    .merge({ ...facts, last_seen_at: at })
    .returning('*');
  if (!row) throw new Error('an inserted row came back empty');
  if (row.user_id === user_id) await giveWelcome(tx, user_id, now);
  return row;
}
