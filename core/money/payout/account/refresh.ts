// What the processor knows of creators' accounts, read again: events may be lost.
import type { ConnectedAccount } from '#drivers/payments/payouts-port.ts';
import type { PayoutAccountsRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import type { Follower } from '../../processor/follow.ts';

const AT_ONCE = 50;
/** Those that cannot be paid yet are asked about this often, the others once a day. */
const PENDING_MS = 300_000;
const DAY_MS = 86_400_000;

/** For events of the processor: one of these accounts has changed there. */
export const followAccount: Follower = async (ctx, payments, id) => {
  const row = await ctx.db('payout_accounts').where({ processor_id: id }).first('user_id');
  if (!row) return undefined;
  const account = await payments.account(id);
  return { write: (tx, inner) => store({ ...inner, db: tx }, row.user_id, account).then(() => true) };
};

export async function refreshAccounts(ctx: Ctx): Promise<void> {
  const { payments } = ctx.drivers;
  if (!payments) return;
  const before = (ms: number): Date => new Date(ctx.clock() - ms);
  const due = await ctx
    .db('payout_accounts')
    .whereNotNull('processor_id')
    .whereRaw('checked_at < case when payouts_enabled then :day::timestamptz else :pending::timestamptz end', {
      day: before(DAY_MS),
      pending: before(PENDING_MS),
    })
    .orderBy('checked_at')
    .limit(AT_ONCE)
    .select('user_id', 'processor_id');
  for (const { user_id, processor_id } of due) {
    const account = processor_id === null ? undefined : await payments.account(processor_id).catch(() => undefined);
    if (account) await store(ctx, user_id, account);
    else
      await ctx
        .db('payout_accounts')
        .where({ user_id })
        .update({ checked_at: new Date(ctx.clock()) });
  }
}

export async function store({ db, clock }: Ctx, user_id: string, account: ConnectedAccount): Promise<void> {
  // no may: what the processor says of the account, whoever asked.
  // no audit: it is no change of anybody here.
  await db('payout_accounts')
    .where({ user_id })
    .update({ processor_id: account.id, ...rowOf(account), checked_at: new Date(clock()) });
}

export type Shown = Pick<PayoutAccountsRow, 'processor_id' | 'details_submitted' | 'payouts_enabled' | 'requirements' | 'disabled_reason'>;

export function rowOf(account: ConnectedAccount): Omit<Shown, 'processor_id'> {
  const { detailsSubmitted, payoutsEnabled, requirements, disabledReason } = account;
  return { details_submitted: detailsSubmitted, payouts_enabled: payoutsEnabled, requirements: [...requirements], disabled_reason: disabledReason };
}
