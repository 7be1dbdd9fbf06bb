// A wallet's entries in the order of their versions: that order says which money paid for what.
import type { Knex } from 'knex';
import type { LedgerTransactionKind } from '#contract/states.ts';

export interface Entry {
  version: number;
  /** Of the wallet: what comes in is positive. */
  micros: number;
  transaction_id: string;
  kind: LedgerTransactionKind;
  reverses: string | null;
  /** Transaction of the top-up that a refund, or its end, is of. */
  top_up: string | null;
  /**
   * Of the platform's account `losses`, in the same transaction: below zero, what was taken back and no
   * balance covered; above, what was paid of it later.
   */
  losses: number;
  /** Its account and its version there. */
  losses_account: string | null;
  losses_version: number | null;
  /** Of a charge's own call, or of a bounty. */
  charge_id: string | null;
  bounty_id: string | null;
}

/** Up to `limit` of them after `version`. */
export async function entriesAfter(db: Knex, account: string, version: number, limit: number): Promise<Entry[]> {
  const { rows } = await db.raw<{ rows: Entry[] }>(
    `select e.version, e.amount_micros as micros, t.transaction_id, t.kind, t.reverses, o.transaction_id as top_up,
            coalesce(l.micros, 0)::bigint as losses, l.account_id as losses_account, l.version as losses_version,
            coalesce(c.charge_id, r.charge_id) as charge_id, case when t.kind = 'escrow' then t.refs->>'bounty_id' end as bounty_id
     from ledger_entries e join ledger_transactions t using (transaction_id)
     left join charges c on t.kind = 'charge' and c.charge_id = t.refs->>'charge_id'
     left join charges r on t.kind = 'charge' and c.charge_id is null and r.run_id = t.refs->>'run_id'
     left join ledger_transactions o on t.kind in ('refund', 'restore') and o.key = 'top_up:' || (t.refs->>'top_up_id')
     left join lateral (
       select n.account_id, n.version, n.amount_micros as micros from ledger_entries n join ledger_accounts a on a.account_id = n.account_id
       where n.transaction_id = t.transaction_id and a.kind = 'losses'
     ) l on t.kind in ('top_up', 'reversal', 'refund', 'restore', 'recovery')
     where e.account_id = :account and e.version > :version order by e.version limit :limit`,
    { account, version, limit },
  );
  return rows;
}

/** It changes what earlier spends were paid with, so it is read in a batch of its own. */
export function isCorrection({ kind, losses }: Entry): boolean {
  return kind === 'reversal' || kind === 'refund' || kind === 'restore' || kind === 'recovery' || losses !== 0;
}
