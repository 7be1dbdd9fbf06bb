import type { PayoutOwedOut } from '#contract/platform/payouts.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { ON_HOLD_SUM } from './earnings.ts';
import { storedFault } from '../../kernel/errors.ts';

/** For operators: by account, in the order of their ids. */
export async function listOwed(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<PayoutOwedOut>> {
  requireOperator(ctx, 'payout.owed');
  const after = i.cursor === undefined ? '' : decodeCursor(i.cursor, ['string'])[0];
  const { rows } = await ctx.db.raw<{ rows: (Omit<PayoutOwedOut, 'last_error'> & { last_error: unknown })[] }>(
    `select l.*, coalesce(u.email, '') as email, coalesce(a.payouts_enabled, false) as payouts_enabled,
            (select case when t.state = 'failed' then t.error end from payout_transfers t where t.creator_id = l.user_id order by t.created_at desc, t.transfer_id desc limit 1) as last_error
     from (
       select creator_id as user_id, coalesce(sum(amount_micros) filter (where state in ('owed', 'failed', 'in_run')), 0)::bigint as owed_micros, ${ON_HOLD_SUM} as held_micros,
              count(*) filter (where state in ('owed', 'failed', 'in_run'))::bigint as lines
       from payout_lines where state in ('accrued', 'held', 'owed', 'failed', 'in_run') and creator_id > :after group by 1 order by 1 limit :limit
     ) l left join users u on u.user_id = l.user_id left join payout_accounts a on a.user_id = l.user_id order by l.user_id`,
    { after, limit: i.limit + 1 },
  );
  const present = (row: (typeof rows)[number]): PayoutOwedOut => ({ ...row, last_error: storedFault(row.last_error) });
  return toPage(rows, i.limit, present, ({ user_id }) => [user_id]);
}
