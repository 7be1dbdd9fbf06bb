// What every payment processor must do. A driver's test calls this with a way to open one, and with what
// people and banks do there.
import { expect, it } from 'vitest';
import type { Payments } from './port.ts';

export interface ProcessorWorld {
  payments: Payments;
  /** Milliseconds, as the processor has it. */
  now(): number;
  pay(checkoutId: string): Promise<void>;
  dispute(paymentId: string): Promise<void>;
  closeDispute(paymentId: string, how: 'won' | 'lost'): Promise<void>;
  declineRenewals(customerId: string): Promise<void>;
  /** The end of the month that is paid. */
  renew(subscriptionId: string): Promise<void>;
  fillAccount(accountId: string): Promise<void>;
  restrictAccount(accountId: string): Promise<void>;
  /** From the account to its bank, which takes or refuses it. */
  payOut(accountId: string, how: 'paid' | 'failed'): Promise<void>;
  /** Signed, of all that happened. */
  events(): Promise<{ raw: Buffer; signature: string }[]>;
}

let count = 0;
const key = (what: string): string => `${what}:${Date.now()}:${(count += 1)}`;
const PAGES = { successUrl: 'https://svc.example/paid', cancelUrl: 'https://svc.example/left' };
const PRO = { plan: 'pro', name: 'Pro', cents: 2_000 };

export function paymentsConformance(open: () => ProcessorWorld): void {
  const customer = async ({ payments }: ProcessorWorld): Promise<string> =>
    (await payments.createCustomer({ accountId: 'usr_1', email: 'ada@example.com', key: key('customer') })).id;
  const topUp = async (world: ProcessorWorld, cents = 2_000) => {
    const reference = key('top');
    const request = { customerId: await customer(world), reference, cents, description: 'Credits', ...PAGES, key: `top_up:${reference}` };
    return { asked: request, checkout: await world.payments.topUp(request) };
  };
  const paidTopUp = async (world: ProcessorWorld, cents?: number) => {
    const { asked, checkout } = await topUp(world, cents);
    await world.pay(checkout.id);
    const { paymentId } = await world.payments.checkout(checkout.id);
    return { asked, checkout, paymentId: paymentId ?? '' };
  };
  const subscribed = async (world: ProcessorWorld, seats = 1) => {
    const customerId = await customer(world);
    const checkout = await world.payments.subscribe({ customerId, reference: 'usr_1', plan: PRO, seats, ...PAGES, key: key('plan') });
    await world.pay(checkout.id);
    const { subscriptionId } = await world.payments.checkout(checkout.id);
    return { customerId, checkout, id: subscriptionId ?? '' };
  };
  const about = async (world: ProcessorWorld) =>
    Promise.all((await world.events()).map(async (one) => (await world.payments.readEvent({ ...one, now: world.now() })).about));

  it('does a write once for its key, and refuses the key for another request', async () => {
    const world = open();
    const of = { accountId: 'usr_2', email: '', key: key('customer') };
    const first = await world.payments.createCustomer(of);
    expect(await world.payments.createCustomer(of)).toEqual(first);
    await expect(world.payments.createCustomer({ ...of, email: 'b@example.com' })).rejects.toMatchObject({ name: 'PaymentsFailed', retry: false });
  });

  it('takes money for credits: open, then paid, with our reference on the payment', async () => {
    const world = open();
    const { asked, checkout } = await topUp(world);
    expect(checkout).toMatchObject({ kind: 'top_up', state: 'open', paid: false, reference: asked.reference, cents: 2_000, paymentId: null });
    expect(checkout.url).toMatch(/^https?:/);
    expect((await world.payments.topUp(asked)).id).toBe(checkout.id);
    await world.pay(checkout.id);
    const after = await world.payments.checkout(checkout.id);
    expect(after).toMatchObject({ state: 'complete', paid: true, url: null, cents: 2_000 });
    const payment = await world.payments.payment(after.paymentId ?? '');
    expect(payment).toMatchObject({ reference: asked.reference, paid: true, cents: 2_000, refundedCents: 0, disputes: [] });
    const subjects = await about(world);
    expect(subjects).toContainEqual({ kind: 'checkout', id: checkout.id });
    expect(subjects).toContainEqual({ kind: 'payment', id: payment.id });
  });

  it('a checkout that was closed cannot be paid; closing one that is over changes nothing', async () => {
    const world = open();
    const { checkout } = await topUp(world);
    await world.payments.expireCheckout({ id: checkout.id, key: key('expire') });
    expect(await world.payments.checkout(checkout.id)).toMatchObject({ state: 'expired', paid: false, url: null });
    const paid = await paidTopUp(world);
    await world.payments.expireCheckout({ id: paid.checkout.id, key: key('expire') });
    expect(await world.payments.checkout(paid.checkout.id)).toMatchObject({ state: 'complete' });
  });

  it('refunds a part, then the rest, then refuses', async () => {
    const world = open();
    const { paymentId } = await paidTopUp(world);
    const of = { paymentId, cents: 500, key: key('refund') };
    const first = await world.payments.refund(of);
    expect(await world.payments.refund(of)).toEqual(first);
    expect(await world.payments.payment(paymentId)).toMatchObject({ refundedCents: 500 });
    expect(await world.payments.refund({ paymentId, key: key('refund') })).toMatchObject({ cents: 1_500 });
    await expect(world.payments.refund({ paymentId, cents: 1, key: key('refund') })).rejects.toMatchObject({ retry: false });
  });

  it('a dispute shows with the payment, and how it ended', async () => {
    const world = open();
    const { paymentId } = await paidTopUp(world);
    await world.dispute(paymentId);
    expect(await world.payments.payment(paymentId)).toMatchObject({ disputes: [{ cents: 2_000, state: 'open' }] });
    await world.closeDispute(paymentId, 'won');
    expect(await world.payments.payment(paymentId)).toMatchObject({ disputes: [{ state: 'won' }] });
    const other = await paidTopUp(world);
    await world.dispute(other.paymentId);
    await world.closeDispute(other.paymentId, 'lost');
    expect(await world.payments.payment(other.paymentId)).toMatchObject({ disputes: [{ state: 'lost' }] });
  });

  it('sells a plan by the month: a subscription with our reference, and an invoice that is paid', async () => {
    const world = open();
    const { id, customerId } = await subscribed(world, 3);
    const subscription = await world.payments.subscription(id);
    expect(subscription).toMatchObject({ customerId, reference: 'usr_1', plan: 'pro', seats: 3, state: 'active', cancelAtPeriodEnd: false });
    expect(subscription.periodEnd).toBeGreaterThan(subscription.periodStart);
    const invoices = (await about(world)).flatMap((one) => (one?.kind === 'invoice' ? [one.id] : []));
    const mine = (await Promise.all(invoices.map((one) => world.payments.invoice(one)))).find((one) => one.subscriptionId === id);
    expect(mine).toMatchObject({ customerId, state: 'paid', cents: 6_000, paidCents: 6_000, periodEnd: subscription.periodEnd });
  });

  it('ends a plan at the end of what is paid, or not after all, or now', async () => {
    const world = open();
    const { id } = await subscribed(world);
    const { cancelSubscription } = world.payments;
    expect(await cancelSubscription({ id, when: 'period_end', key: key('cancel') })).toMatchObject({ state: 'active', cancelAtPeriodEnd: true });
    expect(await cancelSubscription({ id, when: 'never', key: key('cancel') })).toMatchObject({ cancelAtPeriodEnd: false });
    await cancelSubscription({ id, when: 'period_end', key: key('cancel') });
    await world.renew(id);
    expect(await world.payments.subscription(id)).toMatchObject({ state: 'cancelled' });
    const other = await subscribed(world);
    expect(await cancelSubscription({ id: other.id, when: 'now', key: key('cancel') })).toMatchObject({ state: 'cancelled' });
  });

  it('a month that is declined leaves the plan past due', async () => {
    const world = open();
    const { id, customerId } = await subscribed(world);
    const { periodEnd } = await world.payments.subscription(id);
    await world.declineRenewals(customerId);
    await world.renew(id);
    expect(await world.payments.subscription(id)).toMatchObject({ state: 'past_due', periodStart: periodEnd });
  });

  it('opens a page for the payer', async () => {
    const world = open();
    const { url } = await world.payments.portal({ customerId: await customer(world), returnUrl: 'https://svc.example/billing', key: key('portal') });
    expect(url).toMatch(/^https?:/);
  });

  it('reads what is signed, and refuses what is forged, old or of a time to come', async () => {
    const world = open();
    await paidTopUp(world);
    const [event] = await world.events();
    if (!event) throw new Error('nothing happened');
    const { payments } = world;
    const now = world.now();
    expect(await payments.readEvent({ ...event, now })).toMatchObject({ id: expect.any(String), type: expect.any(String) });
    const forged = Buffer.from(event.raw.toString().replace('"id":"', '"id":"x'));
    await expect(payments.readEvent({ ...event, raw: forged, now })).rejects.toMatchObject({ why: 'signature' });
    await expect(payments.readEvent({ ...event, signature: '', now })).rejects.toMatchObject({ why: 'signature' });
    await expect(payments.readEvent({ ...event, signature: 't=1,v1=00', now })).rejects.toMatchObject({ why: 'signature' });
    for (const off of [301_000, -301_000]) await expect(payments.readEvent({ ...event, now: now + off })).rejects.toMatchObject({ why: 'age' });
  });

  it('pays a creator once they said who they are, once for each key, and takes it back', async () => {
    const world = open();
    const { payments } = world;
    const of = { accountId: 'usr_3', email: 'ben@example.com', key: key('account') };
    const account = await payments.createAccount(of);
    expect(await payments.createAccount(of)).toMatchObject({ id: account.id, reference: 'usr_3', payoutsEnabled: false });
    const pages = { returnUrl: 'https://svc.example/payouts', refreshUrl: 'https://svc.example/payouts?again' };
    expect((await payments.accountLink({ accountId: account.id, ...pages, key: key('link') })).url).toMatch(/^https?:/);
    const transfer = { destination: account.id, cents: 1_250, group: 'run_1', reference: 'line_1', key: key('transfer') };
    await expect(payments.transfer({ ...transfer, key: key('transfer') })).rejects.toMatchObject({ retry: false });
    await world.fillAccount(account.id);
    expect(await payments.account(account.id)).toMatchObject({ detailsSubmitted: true, payoutsEnabled: true, requirements: [], disabledReason: null });
    const paid = await payments.transfer(transfer);
    expect(await payments.transfer(transfer)).toEqual(paid);
    expect(paid).toMatchObject({ destination: account.id, cents: 1_250, reversedCents: 0, group: 'run_1', reference: 'line_1' });
    const back = { transferId: paid.id, cents: 250, key: key('reversal') };
    expect(await payments.reverseTransfer(back)).toEqual(await payments.reverseTransfer(back));
    expect(await payments.reverseTransfer({ transferId: paid.id, key: key('reversal') })).toMatchObject({ cents: 1_000 });
    expect(await payments.readTransfer(paid.id)).toMatchObject({ reversedCents: 1_250 });
    await expect(payments.reverseTransfer({ transferId: paid.id, cents: 1, key: key('reversal') })).rejects.toMatchObject({ retry: false });
    const subjects = await about(world);
    expect(subjects).toContainEqual({ kind: 'connected_account', id: account.id });
    expect(subjects).toContainEqual({ kind: 'transfer', id: paid.id });
  });

  it('reports money on its way to a bank, and an account whose payouts are disabled', async () => {
    const world = open();
    const { payments } = world;
    const { id } = await payments.createAccount({ accountId: `usr_${key('bank')}`, email: '', key: key('account') });
    expect(await payments.bankPayout(id)).toBeNull();
    await world.fillAccount(id);
    await payments.transfer({ destination: id, cents: 900, group: 'run_1', reference: 'line_2', key: key('transfer') });
    await world.payOut(id, 'paid');
    expect(await payments.bankPayout(id)).toMatchObject({ amount: 900, currency: 'usd', state: 'paid', failure: null });
    await world.payOut(id, 'failed');
    expect(await payments.bankPayout(id)).toMatchObject({ state: 'failed', failure: { code: expect.any(String), message: expect.any(String) } });
    await world.restrictAccount(id);
    expect(await payments.account(id)).toMatchObject({ payoutsEnabled: false, requirements: [expect.any(String)], disabledReason: expect.any(String) });
    await expect(payments.transfer({ destination: id, cents: 1, group: 'run_1', reference: 'line_3', key: key('transfer') })).rejects.toMatchObject({ retry: false }); // prettier-ignore
    const events = await Promise.all((await world.events()).map((one) => payments.readEvent({ ...one, now: world.now() })));
    const types = events.flatMap((one) => (one.about?.id === id ? [one.type] : []));
    for (const type of ['payout.paid', 'payout.failed', 'account.updated']) expect(types).toContain(type);
  });

  it('says of what it does not have that it does not have it', async () => {
    const { payments } = open();
    for (const read of [
      payments.checkout,
      payments.payment,
      payments.subscription,
      payments.invoice,
      payments.account,
      payments.bankPayout,
      payments.readTransfer,
    ])
      await expect(read('none_1')).rejects.toMatchObject({ name: 'PaymentsFailed', code: 'not_found', retry: false });
  });
}
