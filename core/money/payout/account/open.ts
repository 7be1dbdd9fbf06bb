// The account of a creator at the payment processor, where payouts go. The processor asks who the person is;
// we keep only whether it knows enough.
import type { PayoutAccountLinkOut, PayoutAccountOut } from '#contract/money/payouts.ts';
import type { ConnectedAccount } from '#drivers/payments/payouts-port.ts';
import type { Payments } from '#drivers/payments/port.ts';
import type { PayoutAccountsRow } from '#db/tables.ts';
import { act, done, unchanged } from '../../../kernel/act.ts';
import type { Ctx, UserActor } from '../../../kernel/ctx.ts';
import { requireUser } from '../../../kernel/policy.ts';
import { atProcessor, paymentsOf } from '../../processor/ask.ts';
import { storedFault } from '../../../kernel/errors.ts';
import { readPayoutAccount, type PayoutAccountColumns, storeNow } from './refresh.ts';

/**
 * Made by the first request; each gives a new link. @throws Unavailable payments_off, payments_down;
 * BadGateway payments_refused
 */
export async function openPayoutAccount(ctx: Ctx, i: { country?: string | undefined }): Promise<PayoutAccountLinkOut> {
  const user = requireUser(ctx, 'payout_account.open');
  const payments = paymentsOf(ctx);
  const begun = new Date(ctx.clock());
  await act(ctx, 'payout_account.open', requireUser, async (ctx, { user_id }) => {
    const row = { user_id, details_submitted: false, payouts_enabled: false, requirements: [], created_at: begun, checked_at: begun };
    const made = await ctx.db('payout_accounts').insert(row).onConflict('user_id').ignore().returning('user_id');
    return made.length > 0 ? done({ user: user_id }, {}) : unchanged(undefined);
  });
  const id = await accountAt(ctx, payments, user, i.country);
  const back = `${ctx.config.baseUrl}/payouts`;
  const link = await atProcessor(payments.accountLink({ accountId: id, returnUrl: back, refreshUrl: back, key: `link:${ctx.requestId}` }));
  const row = await rowOf(ctx, user.user_id);
  return { ...presentAccount(ctx, row), url: link.url, expires_at: new Date(link.expiresAt).toISOString() };
}

/**
 * Its id at the processor, made where there is none. Two requests at once, also for two countries, keep one
 * account: who stored it first.
 */
async function accountAt(ctx: Ctx, payments: Payments, { user_id, email }: UserActor, country: string | undefined): Promise<string> {
  const before = await rowOf(ctx, user_id);
  const of = { accountId: user_id, email, ...(country === undefined ? {} : { country }), key: `account:${user_id}:${country ?? ''}` };
  const account: ConnectedAccount = await atProcessor(before.processor_id ? payments.account(before.processor_id) : payments.createAccount(of));
  if (await storeNow(ctx, before, { account })) return account.id;
  return (await rowOf(ctx, user_id)).processor_id ?? account.id;
}

async function rowOf({ db }: Ctx, user_id: string): Promise<PayoutAccountsRow> {
  const row = await db('payout_accounts').where({ user_id }).first();
  if (!row) throw new Error('a payout account that was opened is gone');
  return row;
}

/** As the processor sees it now, where it can be asked. */
export async function getPayoutAccount(ctx: Ctx): Promise<PayoutAccountOut> {
  const { user_id } = requireUser(ctx, 'payout.read');
  const known = await ctx.db('payout_accounts').where({ user_id }).first();
  const { payments } = ctx.drivers;
  if (!known?.processor_id || !payments) return presentAccount(ctx, known);
  const seen = await readPayoutAccount(payments, known.processor_id).catch(() => undefined);
  if (seen) await storeNow(ctx, known, seen);
  return presentAccount(ctx, await rowOf(ctx, user_id));
}

function presentAccount({ drivers }: Ctx, row: PayoutAccountColumns | undefined): PayoutAccountOut {
  return {
    state: !row?.processor_id ? 'none' : row.payouts_enabled ? 'ready' : row.details_submitted ? 'in_review' : 'incomplete',
    payouts_enabled: row?.payouts_enabled ?? false,
    requirements: row?.requirements ?? [],
    disabled_reason: row?.disabled_reason ?? null,
    bank_payout: row ? bankPayoutOf(row) : null,
    test_money: drivers.payments?.testMoney ?? false,
  };
}

function bankPayoutOf({ bank_state, bank_amount, bank_currency, bank_failure, bank_at }: PayoutAccountColumns): PayoutAccountOut['bank_payout'] {
  if (bank_state === null || bank_at === null) return null;
  return { state: bank_state, amount: bank_amount ?? 0, currency: bank_currency ?? '', failure: storedFault(bank_failure), at: bank_at.toISOString() };
}
