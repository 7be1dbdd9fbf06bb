// The row of a person the identity provider vouches for: made at first sight, mended when something changed, seen once an hour.
import type { Knex } from 'knex';
import type { UsersRow } from '#db/tables.ts';
import { newId } from '../../kernel/ids.ts';

export interface KnownIdentity {
  issuer: string;
  subject: string;
  email: string;
  name: string | null;
  operator: boolean;
}

export async function ensureUser(db: Knex, identity: KnownIdentity, now: number): Promise<UsersRow> {
  const { issuer, subject } = identity;
  const facts = { email: identity.email, name: identity.name, operator: identity.operator };
  const at = new Date(now);
  const [changed] = await db('users')
    .insert({ user_id: newId('usr', now), issuer, subject, ...facts, created_at: at, last_seen_at: at })
    .onConflict(['issuer', 'subject'])
    .merge({ ...facts, last_seen_at: at })
    .whereRaw('(users.email, users.name, users.operator) is distinct from (excluded.email, excluded.name, excluded.operator) or users.last_seen_at < ?', [
      new Date(now - 3_600_000),
    ])
    .returning('*');
  return changed ?? unchanged(db, issuer, subject);
}

async function unchanged(db: Knex, issuer: string, subject: string): Promise<UsersRow> {
  const row = await db('users').where({ issuer, subject }).first();
  if (!row) throw new Error('a user was removed while signing in');
  return row;
}
