import type { z } from 'zod';
import type { TopUpListOut, TopUpOut } from '#contract/money/credits.ts';
import type { TopUpsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import { requireUser } from '../../kernel/policy.ts';

/** What the account paid in, the newest first: with amounts and taxes, a receipt of each. */
export async function listTopUps(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<z.infer<typeof TopUpListOut>> {
  const { user_id } = requireUser(ctx, 'credits.read');
  const query = ctx.db('top_ups').where({ user_id }).select<TopUpsRow[]>('*');
  return newestPage(query, ['created_at', 'top_up_id'], i, present);
}

function present(row: TopUpsRow): z.infer<typeof TopUpOut> {
  return {
    top_up_id: row.top_up_id,
    state: row.state,
    amount_cents: row.amount_cents,
    tax_cents: row.tax_cents,
    credited_micros: row.credited_micros,
    taken_back_micros: row.taken_micros,
    disputed: row.disputed,
    url: row.checkout_url,
    test_money: row.processor === 'builtin',
    created_at: row.created_at.toISOString(),
    paid_at: row.paid_at?.toISOString() ?? null,
  };
}
