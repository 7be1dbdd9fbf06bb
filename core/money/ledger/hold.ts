// Holds: what something may cost is set aside before it starts, and charged or released when it ends. A hold
// ends once, however often its end arrives.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { bindingsOf, covered, type Posting } from './post.ts';

export interface Hold {
  /** What it is held for, `run:run_…`: the same key is held once. */
  key: string;
  accountId: string;
  /** Micro-credits, above zero. */
  micros: number;
  at: number;
  /** It is released then, if nothing ended it. */
  expiresAt: number;
}

/** Whether it is held now; false: its key was. @throws PaymentRequired insufficient_credits */
export async function hold(db: Knex, { key, accountId, micros, at, expiresAt }: Hold): Promise<boolean> {
  const bindings = { id: newId('hld', at), key, account: accountId, amount: micros, at: new Date(at), expires: new Date(expiresAt) };
  const sql = 'select ledger_hold(:id, :key, :account, :amount, :at, :expires) as held';
  const { rows } = await covered(db.raw<{ rows: [{ held: boolean }] }>(sql, bindings).options({ name: 'ledger_hold' }));
  return rows[0].held;
}

/**
 * Charges what was held for `key`, and releases the rest. A hold that expired before is charged too, where
 * the balance still covers it.
 * @throws PaymentRequired insufficient_credits
 */
export async function settleHold(db: Knex, key: string, posting: Posting): Promise<boolean> {
  const sql = 'select ledger_settle(:hold, :id, :key, :kind, :refs, :at, :accounts, :amounts) as posted';
  const bindings = { ...bindingsOf(posting), hold: key };
  const { rows } = await covered(db.raw<{ rows: [{ posted: boolean }] }>(sql, bindings).options({ name: 'ledger_settle' }));
  return rows[0].posted;
}

/** Nothing is charged. */
export async function release(db: Knex, key: string, at: number): Promise<void> {
  await db.raw(`select ledger_end_hold(:key, 'released', :at)`, { key, at: new Date(at) }).options({ name: 'ledger_release' });
}

/** Releases what expired: what held it is gone. */
export async function releaseExpired({ db, clock }: Ctx): Promise<void> {
  const now = new Date(clock());
  const expired = await db('ledger_holds').where({ state: 'open' }).where('expires_at', '<', now).orderBy('expires_at').limit(1_000).select('key');
  for (const { key } of expired) await release(db, key, now.getTime());
}
