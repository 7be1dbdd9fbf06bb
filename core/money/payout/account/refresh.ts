// What the processor knows of creators' accounts, read again: events may be lost.
import type { ConnectedAccount } from '#drivers/payments/payouts-port.ts';
import { PaymentsFailed } from '#drivers/payments/port.ts';
import type { PayoutAccountsRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Unavailable } from '../../../kernel/errors.ts';

const AT_ONCE = 50;
/** Those that cannot be paid yet are asked about this often, the others once a day. */
const PENDING_MS = 300_000;
const DAY_MS = 86_400_000;

/** The account of this id at the processor changed: for its events. Unknown ones are nobody's. */
export async function refreshProcessorAccount(ctx: Ctx, processorId: string): Promise<void> {
  const row = await ctx.db('payout_accounts').where({ processor_id: processorId }).first('user_id');
  const account = row && (await ctx.drivers.payments?.account(processorId));
  if (row && account) await store(ctx, row.user_id, account);
}

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

/** @throws Unavailable payments_failed */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentsFailed)) throw error;
    throw new Unavailable('payments_failed', `The payment processor does not do it: ${error.message}`);
  }
}

export type Shown = Pick<PayoutAccountsRow, 'processor_id' | 'details_submitted' | 'payouts_enabled' | 'requirements' | 'disabled_reason'>;

export function rowOf(account: ConnectedAccount): Omit<Shown, 'processor_id'> {
  const { detailsSubmitted, payoutsEnabled, requirements, disabledReason } = account;
  return { details_submitted: detailsSubmitted, payouts_enabled: payoutsEnabled, requirements: [...requirements], disabled_reason: disabledReason };
}
