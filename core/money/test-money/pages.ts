// The pages of test money: what a person does there in place of a bank. Whose a page is, is compared here.
import type { z } from 'zod';
import type { TestAccountIn, TestAccountOut, TestCheckoutIn, TestCheckoutOut, TestPortalIn, TestPortalOut } from '#contract/money/test-money.ts';
import { type Payment, PaymentsFailed, type ProcessorInvoice, type ProcessorSubscription } from '#drivers/payments/port.ts';
import type { Transfer } from '#drivers/payments/payouts-port.ts';
import type { CheckoutPage, PortalPage, TestMoney } from '#drivers/payments/test-money.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError, NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { presentPlan } from '../billing/get.ts';
import { deliverTestEvents } from './deliver.ts';

/** @throws NotFound test_money_not_found, also where the page is another account's */
export async function getTestCheckout(ctx: Ctx, { page_id }: { page_id: string }): Promise<z.infer<typeof TestCheckoutOut>> {
  return presentCheckout(await ownCheckout(ctx, page_id));
}

export async function finishTestCheckout(ctx: Ctx, { page_id, action }: { page_id: string } & z.infer<typeof TestCheckoutIn>) {
  await ownCheckout(ctx, page_id);
  const page = await pagesOf(ctx).finishCheckout(page_id, action);
  await deliver(ctx);
  return presentCheckout(page);
}

export async function getTestPortal(ctx: Ctx, { page_id }: { page_id: string }): Promise<z.infer<typeof TestPortalOut>> {
  return presentPortal(ctx, await ownPortal(ctx, page_id));
}

export async function changeTestPortal(
  ctx: Ctx,
  { page_id, ...i }: { page_id: string } & z.infer<typeof TestPortalIn>,
): Promise<z.infer<typeof TestPortalOut>> {
  await ownPortal(ctx, page_id);
  await orNotFound(act(ctx, pagesOf(ctx), page_id, i));
  await deliver(ctx);
  return presentPortal(ctx, await ownPortal(ctx, page_id));
}

async function act(ctx: Ctx, pages: TestMoney, portal: string, i: z.infer<typeof TestPortalIn>): Promise<void> {
  if (i.action === 'card') return pages.setCardDeclines(portal, i.declines);
  if (i.action === 'pay') return pages.payInvoice(portal, i.invoice_id);
  if (i.action === 'cancel') return pages.cancelAtPeriodEnd(portal, i.subscription_id, i.cancel);
  if (i.action === 'take_back') return pages.takeBack(portal, i.payment_id, i.how);
  const plan = await ctx.db('plans').where({ plan: i.plan, offered: true }).where('price_cents', '>', 0).first();
  if (!plan) throw new NotFound('plan_not_found', `There is no plan ${i.plan} to change to`);
  const price = { plan: plan.plan, name: plan.name, cents: plan.price_cents };
  return pages.changePlan(portal, i.subscription_id, price, Math.min(i.seats, plan.max_seats));
}

export async function getTestAccount(ctx: Ctx, { page_id }: { page_id: string }): Promise<z.infer<typeof TestAccountOut>> {
  const { user_id } = requireUser(ctx, 'test_money.use');
  const account = await orNotFound(pagesOf(ctx).accountPage(page_id));
  if (account.reference !== user_id) throw notFound();
  return {
    details_submitted: account.detailsSubmitted,
    payouts_enabled: account.payoutsEnabled,
    disabled_reason: account.disabledReason,
    bank_payout: account.bankPayout?.state ?? null,
    transfers: account.transfers.map(presentTransfer),
  };
}

export async function fillTestAccount(ctx: Ctx, { page_id, ...i }: { page_id: string } & z.infer<typeof TestAccountIn>) {
  await getTestAccount(ctx, { page_id });
  await orNotFound(actOnAccount(pagesOf(ctx), page_id, i));
  await deliver(ctx);
  return getTestAccount(ctx, { page_id });
}

async function actOnAccount(pages: TestMoney, id: string, i: z.infer<typeof TestAccountIn>): Promise<void> {
  if (i.action === 'take_back') return pages.takeBackTransfer(id, i.transfer_id, i.cents);
  return i.action === 'pay_out' ? pages.payOut(id, i.how) : pages.fillAccount(id, i.action);
}

function pagesOf({ drivers }: Ctx): TestMoney {
  const pages = drivers.payments?.testPages;
  if (!pages) throw notFound();
  return pages;
}

function notFound(): NotFound {
  return new NotFound('test_money_not_found', 'There is no such page: begin again');
}

async function orNotFound<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof PaymentsFailed ? notFound() : error;
  }
}

async function ownCheckout(ctx: Ctx, id: string): Promise<CheckoutPage> {
  const { user_id } = requireUser(ctx, 'test_money.use');
  const page = await orNotFound(pagesOf(ctx).checkoutPage(id));
  if (page.accountId !== user_id) throw notFound();
  return page;
}

async function ownPortal(ctx: Ctx, id: string): Promise<PortalPage> {
  const { user_id } = requireUser(ctx, 'test_money.use');
  const page = await orNotFound(pagesOf(ctx).portalPage(id));
  if (page.accountId !== user_id) throw notFound();
  return page;
}

/** At once, so that the page that the browser goes back to shows it; what fails now comes again. */
async function deliver(ctx: Ctx): Promise<void> {
  try {
    await deliverTestEvents(ctx);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

function presentCheckout(page: CheckoutPage): z.infer<typeof TestCheckoutOut> {
  const { kind, text, seats, cents, state } = page;
  return { kind, text, seats, amount_cents: cents, state, success_url: page.successUrl, cancel_url: page.cancelUrl };
}

async function presentPortal({ db }: Ctx, page: PortalPage): Promise<z.infer<typeof TestPortalOut>> {
  const plans = await db('plans').where({ offered: true }).where('price_cents', '>', 0).orderBy('position');
  return {
    return_url: page.returnUrl,
    card_declines: page.cardDeclines,
    subscriptions: page.subscriptions.map(presentSubscription),
    invoices: page.invoices.map(presentInvoice),
    payments: page.payments.map(presentPayment),
    plans: plans.map(presentPlan),
  };
}

function presentSubscription(s: ProcessorSubscription): z.infer<typeof TestPortalOut>['subscriptions'][number] {
  const { id, plan, seats, state, cancelAtPeriodEnd } = s;
  return { subscription_id: id, plan: plan ?? '', seats, state, cancel_at_period_end: cancelAtPeriodEnd, period_end: new Date(s.periodEnd).toISOString() };
}
function presentInvoice({ id, state, cents, createdAt }: ProcessorInvoice): z.infer<typeof TestPortalOut>['invoices'][number] {
  return { invoice_id: id, state, amount_cents: cents, created_at: new Date(createdAt).toISOString() };
}
function presentTransfer({ id, cents, reversedCents, createdAt }: Transfer): z.infer<typeof TestAccountOut>['transfers'][number] {
  return { transfer_id: id, amount_cents: cents, reversed_cents: reversedCents, created_at: new Date(createdAt).toISOString() };
}
function presentPayment({ id, cents, refundedCents, disputes }: Payment): z.infer<typeof TestPortalOut>['payments'][number] {
  return { payment_id: id, amount_cents: cents, refunded_cents: refundedCents, disputes: disputes.map(({ state }) => state) };
}
