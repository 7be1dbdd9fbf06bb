// The wallet of an account: what it has, holds and owes, and how it came to that.
import type { z } from 'zod';
import type { WalletEntry, WalletOut } from '#contract/money/credits.ts';
import type { LedgerTransactionKind } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, toPage } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';

interface EntryRow {
  version: number;
  kind: LedgerTransactionKind;
  refs: unknown;
  amount_micros: number;
  balance_before: number;
  balance_after: number;
  created_at: Date;
}

export async function getWallet(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<z.infer<typeof WalletOut>> {
  const { user_id } = requireUser(ctx, 'credits.read');
  const { db, drivers } = ctx;
  const account = await db('ledger_accounts').where({ kind: 'wallet', owner_id: user_id, shard: 0 }).first();
  const account_id = account?.account_id ?? '';
  const query = db('ledger_entries as e')
    .join('ledger_transactions as t', 't.transaction_id', 'e.transaction_id')
    .where({ 'e.account_id': account_id })
    .orderBy('e.version', 'desc')
    .limit(i.limit + 1)
    .select<EntryRow[]>('e.version', 't.kind', 't.refs', 'e.amount_micros', 'e.balance_before', 'e.balance_after', 't.created_at');
  if (i.cursor !== undefined) void query.where('e.version', '<', decodeCursor(i.cursor, ['number'])[0]);
  const sum = (kinds: readonly LedgerTransactionKind[]) =>
    db('ledger_entries as e')
      .join('ledger_transactions as t', 't.transaction_id', 'e.transaction_id')
      .where({ 'e.account_id': account_id })
      .whereIn('t.kind', kinds)
      .select<{ micros: number }[]>(db.raw('coalesce(sum(e.amount_micros), 0)::bigint as micros'));
  const [rows, [given], [bought], least, most] = await Promise.all([
    query,
    sum(['promotion']),
    sum(['top_up', 'refund', 'restore']),
    setting(db, 'top_up_least_cents'),
    setting(db, 'top_up_most_cents'),
  ]);
  const [balance_micros, held_micros, owed_micros] = [account?.balance_micros ?? 0, account?.held_micros ?? 0, account?.owed_micros ?? 0];
  return {
    balance_micros,
    held_micros,
    available_micros: balance_micros - held_micros,
    owed_micros,
    blocked: owed_micros > 0,
    given_micros: given?.micros ?? 0,
    bought_micros: bought?.micros ?? 0,
    top_up: drivers.payments ? { least_cents: least, most_cents: most, test_money: drivers.payments.testMoney } : null,
    ...toPage(rows, i.limit, present, ({ version }) => [version]),
  };
}

function present({ version, kind, refs, amount_micros, balance_before, balance_after, created_at }: EntryRow): z.infer<typeof WalletEntry> {
  return {
    number: version,
    kind,
    refs: refsOf(refs),
    amount_micros,
    before_micros: balance_before,
    after_micros: balance_after,
    at: created_at.toISOString(),
  };
}

// Safe: only postings write it, with ids by their names.
function refsOf(refs: unknown): Record<string, string> {
  return refs as Record<string, string>;
}
