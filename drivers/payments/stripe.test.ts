import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STRIPE_KEY, STRIPE_SECRET, StripeServer } from '#test/support/stripe/server.ts';
import { paymentsConformance } from './conformance.ts';
import type { StripeConfiguration } from './environment.ts';
import { paymentsConfiguration } from './environment.ts';
import { stripePayments } from './stripe/stripe.ts';

let server: StripeServer;
beforeAll(async () => void (server = await new StripeServer().listen()));
afterAll(() => server.close());

const open = (more: Partial<StripeConfiguration> = {}) =>
  stripePayments({ secretKey: STRIPE_KEY, webhookSecrets: [STRIPE_SECRET], apiBase: server.url, prices: {}, automaticTax: false, ...more });
const customer = (key: string) => ({ accountId: 'usr_1', email: 'ada@example.com', key });

describe('stripe', () => {
  paymentsConformance(() => ({
    payments: open(),
    now: () => server.now,
    pay: async (id) => server.pay(id),
    dispute: async (id) => server.dispute(id),
    closeDispute: async (id, how) => server.closeDisputes(id, how),
    declineRenewals: async (id) => server.setDeclines(id, true),
    renew: async (id) => server.renew(id),
    fillAccount: async (id) => server.fillAccount(id),
    restrictAccount: async (id) => server.restrictAccount(id),
    payOut: async (id, how) => server.endPayout(server.payOut(id, 900), how),
    events: async () => server.events.made.map((event) => server.events.signed(event)),
  }));

  it('an answer that got lost is asked for again by the same key', async () => {
    const before = server.state.all('customer').length;
    server.cutAnswers = 1;
    await open().createCustomer(customer('cut:1'));
    expect(server.state.all('customer')).toHaveLength(before + 1);
  });

  it('believes each of the secrets in force, and no other', async () => {
    server.events.add('test', { object: 'invoice', id: 'in_1' });
    const event = server.events.made.at(-1);
    if (!event) throw new Error('no event');
    const rotated = open({ webhookSecrets: ['whsec_new', STRIPE_SECRET] });
    for (const secret of ['whsec_new', STRIPE_SECRET])
      expect(await rotated.readEvent({ ...server.events.signed(event, { secret }), now: server.now })).toMatchObject({
        about: { kind: 'invoice', id: 'in_1' },
      });
    const forged = { ...server.events.signed(event, { secret: 'whsec_other' }), now: server.now };
    await expect(rotated.readEvent(forged)).rejects.toMatchObject({ why: 'signature' });
  });

  it('believes of a payout whose account it is by the event, and follows none of its own money', async () => {
    const payout = { object: 'payout', id: 'po_1' };
    server.events.add('payout.failed', payout, { account: 'acct_1' });
    server.events.add('payout.failed', payout);
    server.events.add('capability.updated', { object: 'capability', id: 'transfers', account: 'acct_2' } as { object: string; id: string });
    const read = server.events.made.slice(-3).map((event) => open().readEvent({ ...server.events.signed(event), now: server.now }));
    expect((await Promise.all(read)).map(({ about }) => about)).toEqual([
      { kind: 'connected_account', id: 'acct_1' },
      undefined,
      { kind: 'connected_account', id: 'acct_2' },
    ]);
  });

  it('a price of an operator names its plan; taxes are not credits', async () => {
    const payments = open({ prices: { pro: 'price_1' } });
    const { id: customerId } = await payments.createCustomer(customer('priced'));
    const pages = { successUrl: 'https://svc.example/a', cancelUrl: 'https://svc.example/b' };
    const plan = { plan: 'pro', name: 'Pro', cents: 1 };
    const { id } = await payments.subscribe({ customerId, reference: 'usr_1', plan, seats: 1, ...pages, key: 'priced plan' });
    server.pay(id);
    const { subscriptionId } = await payments.checkout(id);
    expect(await payments.subscription(subscriptionId ?? '')).toMatchObject({ plan: 'pro' });
    const top = await payments.topUp({ customerId, reference: 'top_1', cents: 1_000, description: 'x', ...pages, key: 'taxed' });
    server.pay(top.id, 190);
    expect(await payments.checkout(top.id)).toMatchObject({ cents: 1_000, taxCents: 190 });
  });

  it('a wrong key is said without naming it', async () => {
    const wrong = open({ secretKey: 'sk_test_wrong' }).createCustomer(customer('wrong'));
    await expect(wrong).rejects.toMatchObject({ name: 'PaymentsFailed', retry: false });
    await expect(wrong).rejects.not.toThrow(/sk_test_wrong/);
  });

  it('where nothing listens it may be tried again', async () => {
    const payments = open({ apiBase: 'http://127.0.0.1:1' });
    await expect(payments.createCustomer(customer('down'))).rejects.toMatchObject({ retry: true });
  });

  it('is not opened without its secrets', () => {
    const env = { SVC_BASE_URL: 'http://localhost', STRIPE_AUTOMATIC_TAX: false };
    expect(() => paymentsConfiguration({ ...env, SVC_PAYMENTS: 'stripe', STRIPE_SECRET_KEY: 'sk_test_1' })).toThrow(/STRIPE_WEBHOOK_SECRETS/);
    expect(paymentsConfiguration({ ...env, SVC_PAYMENTS: 'off' })).toEqual({ kind: 'off' });
  });
});
