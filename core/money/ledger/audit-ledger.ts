// Recomputes the ledger from its entries: what was written around it shows. Read only; the nightly round logs
// what it found.
import type { Ctx } from '../../kernel/ctx.ts';

export interface LedgerFault {
  rule: 'sum_not_zero' | 'entry_missing' | 'balance_differs' | 'holds_differ' | 'no_entries';
  /** Of the transaction or the account. */
  id: string;
}

/** At most of each rule. */
const SHOWN = 100;

const CHECKS: Record<LedgerFault['rule'], string> = {
  sum_not_zero: `select transaction_id as id from ledger_entries group by 1 having sum(amount_micros) <> 0`,
  no_entries: `select transaction_id as id from ledger_transactions t where not exists (select 1 from ledger_entries e where e.transaction_id = t.transaction_id)`,
  entry_missing: `select distinct account_id as id from (
      select account_id, version, balance_before, lag(version, 1, 0::bigint) over line as version_before, lag(balance_after, 1, 0::bigint) over line as was
      from ledger_entries window line as (partition by account_id order by version)
    ) e where version <> version_before + 1 or balance_before <> was`,
  balance_differs: `select a.account_id as id from ledger_accounts a
    left join lateral (select version, balance_after from ledger_entries e where e.account_id = a.account_id order by version desc limit 1) last on true
    where a.balance_micros <> coalesce(last.balance_after, 0) or a.version <> coalesce(last.version, 0)`,
  holds_differ: `select a.account_id as id from ledger_accounts a
    left join (select account_id, sum(amount_micros) as held from ledger_holds where state = 'open' group by 1) h on h.account_id = a.account_id
    where a.held_micros <> coalesce(h.held, 0)`,
};

/** What does not add up, by rule and id; at one moment, while others post. */
export async function auditLedger({ db }: Pick<Ctx, 'db'>): Promise<LedgerFault[]> {
  return db.transaction(
    async (tx) => {
      const faults: LedgerFault[] = [];
      for (const [rule, sql] of Object.entries(CHECKS)) {
        const { rows } = await tx.raw<{ rows: { id: string }[] }>(`${sql} order by 1 limit ${SHOWN}`);
        // Safe: the keys are the rules.
        faults.push(...rows.map(({ id }) => ({ rule: rule as LedgerFault['rule'], id })));
      }
      return faults;
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/**
 * The nightly round. @throws Error that names what does not add up: the loop counts as failing, which
 * operators are alerted of
 */
export async function requireSoundLedger(ctx: Pick<Ctx, 'db'>): Promise<void> {
  const faults = await auditLedger(ctx);
  if (faults.length > 0) throw new Error(`The ledger does not add up: ${faults.map(({ rule, id }) => `${rule} ${id}`).join(', ')}`);
}
