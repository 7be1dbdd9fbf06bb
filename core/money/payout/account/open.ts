// The account of a creator at the payment processor, where payouts go. The processor asks who the person is; we keep only whether it knows enough.
import type { PayoutAccountLinkOut, PayoutAccountOut } from '#contract/money/payouts.ts';
import { audit } from '../../../kernel/audit.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { requireUser } from '../../../kernel/policy.ts';
import { inTx } from '../../../kernel/tx.ts';
import { atProcessor, paymentsOf } from '../../processor/ask.ts';
import { rowOf, type Shown, store } from './refresh.ts';

/** Made by the first request; each gives a new link. @throws Unavailable payments_off, payments_down; BadGateway payments_refused */
export async function openPayoutAccount(ctx: Ctx, i: { country?: string | undefined }): Promise<PayoutAccountLinkOut> {
  const user = requireUser(ctx, 'payout_account.open');
  const { user_id } = user;
  const payments = paymentsOf(ctx);
  const begun = new Date(ctx.clock());
  await inTx(ctx, async (tx, inner) => {
    const row = { user_id, details_submitted: false, payouts_enabled: false, requirements: [], created_at: begun, checked_at: begun };
    const made = await tx('payout_accounts').insert(row).onConflict('user_id').ignore().returning('user_id');
    if (made.length > 0) await audit(tx, inner, 'payout_account.open', user_id);
  });
  const known = await ctx.db('payout_accounts').where({ user_id }).first('processor_id');
  // One key for what is asked: two requests at once make one account.
  const request = {
    accountId: user_id,
    email: user.email,
    ...(i.country === undefined ? {} : { country: i.country }),
    key: `account:${user_id}:${i.country ?? ''}`,
  };
  const processor = known?.processor_id;
  const account = await atProcessor(processor ? payments.account(processor) : payments.createAccount(request));
  await store(ctx, user_id, account);
  const back = `${ctx.config.baseUrl}/payouts`;
  const link = await atProcessor(payments.accountLink({ accountId: account.id, returnUrl: back, refreshUrl: back, key: `link:${ctx.requestId}` }));
  return { ...presentAccount(ctx, { ...rowOf(account), processor_id: account.id }), url: link.url, expires_at: new Date(link.expiresAt).toISOString() };
}

/** As the processor sees it now, where it can be asked. */
export async function getPayoutAccount(ctx: Ctx): Promise<PayoutAccountOut> {
  const { user_id } = requireUser(ctx, 'payout.read');
  const known = await ctx.db('payout_accounts').where({ user_id }).first();
  const id = known?.processor_id;
  const { payments } = ctx.drivers;
  if (!known || !id || !payments) return presentAccount(ctx, known);
  const account = await payments.account(id).catch(() => undefined);
  if (account) await store(ctx, user_id, account);
  return presentAccount(ctx, account ? { ...rowOf(account), processor_id: id } : known);
}

function presentAccount({ drivers }: Ctx, row: Shown | undefined): PayoutAccountOut {
  return {
    state: !row?.processor_id ? 'none' : row.payouts_enabled ? 'ready' : row.details_submitted ? 'in_review' : 'incomplete',
    payouts_enabled: row?.payouts_enabled ?? false,
    requirements: row?.requirements ?? [],
    disabled_reason: row?.disabled_reason ?? null,
    test_money: drivers.payments?.testMoney ?? false,
  };
}
