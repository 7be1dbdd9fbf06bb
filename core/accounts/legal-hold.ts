// What organizations retain: under a legal hold, or younger than their policy's days. Every automatic removal
// of rows asks here, in the statement or the transaction that removes them.
import type { Knex } from 'knex';
import { Conflict } from '../kernel/errors.ts';
import { lockName } from '../kernel/lock-name.ts';

/** Whose a row is, and when it was made or ended: SQL of ours. */
export interface Retained {
  owner: string;
  at: string;
}

/** SQL: the account that the agent of this column belongs to. */
export const ownerOfAgent = (column: string): string => `(select kept_of.owner_id from agents kept_of where kept_of.agent_id = ${column})`;

/** The rows that no policy keeps. */
export function notRetained({ owner, at }: Retained, now: number): (query: Knex.QueryBuilder) => void {
  const sql = `not exists (
    select 1 from compliance_policies kept where kept.organization_id = ${owner} and (kept.legal_hold or ${at} > :kept_now::timestamptz - kept.retention_days * interval '1 day'))`;
  return (query) => void query.whereRaw(sql, { kept_now: new Date(now) });
}

/** The same for what says itself when it goes: a legal hold keeps it, and no number of days. */
export function notOnHold(owner: string, now: number): (query: Knex.QueryBuilder) => void {
  return notRetained({ owner, at: `'-infinity'::timestamptz` }, now);
}

/** Accounts that keep what they have for longer than so many days. */
export async function accountsRetainingLonger(db: Knex, days: number): Promise<string[]> {
  const rows = await db('compliance_policies').where({ legal_hold: true }).orWhere('retention_days', '>', days).select('organization_id');
  return rows.map(({ organization_id }) => organization_id);
}

/**
 * That no legal hold stands against removing the account: of an organization that it is, is or was a member
 * of, or whose agents it called. What the transaction then removes is gone before a hold can be set. @throws
 * Conflict legal_hold
 */
export async function requireNoHold(tx: Knex, userId: string): Promise<void> {
  await beginRemoval(tx);
  const { rows } = await tx.raw<{ rows: { slug: string }[] }>(
    `select o.slug from compliance_policies p join organizations o using (organization_id)
     where p.legal_hold and (
       p.organization_id = :userId
       or exists (select 1 from organization_members m where m.organization_id = p.organization_id and m.user_id = :userId)
       or exists (select 1 from runs r join agents a using (agent_id) where a.owner_id = p.organization_id and r.user_id = :userId)
       or exists (select 1 from receipts r join agents a using (agent_id) where a.owner_id = p.organization_id and r.caller_user_id = :userId))
     limit 1`,
    { userId },
  );
  const [held] = rows;
  if (held)
    throw new Conflict('legal_hold', `The organization ${held.slug} holds what it has of this account: ask its admins to end the legal hold`, {
      slug: held.slug,
    });
}

/** Who sets a hold waits until this transaction is over. */
export async function beginRemoval(tx: Knex): Promise<void> {
  await tx.raw(`select pg_advisory_xact_lock_shared(hashtextextended('legal hold', 0))`);
}

/** Before a hold is set: removals that began before it have ended. */
export async function waitForRemovals(tx: Knex.Transaction): Promise<void> {
  await lockName(tx, 'legal hold');
}
