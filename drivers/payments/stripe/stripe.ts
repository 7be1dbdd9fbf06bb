// The driver for Stripe. Every write carries the caller's key as its idempotency key; what a write sends
// depends only on our stored record.
import type Stripe from 'stripe';
import type { StripeConfiguration } from '../environment.ts';
import type { Payments, SubscriptionRequest, TopUpRequest } from '../port.ts';
import { mapStripeErrors, stripeClient } from './client.ts';
import { stripeAccounts } from './connect.ts';
import { readStripeEvent } from './events.ts';
import { checkoutOf, invoiceOf, paymentOf, subscriptionOf } from './read.ts';

export function stripePayments(configuration: StripeConfiguration): Payments {
  const client = stripeClient(configuration);
  const { prices, webhookSecrets: secrets, secretKey, automaticTax } = configuration;
  const live = /^[a-z]+_live_/.test(secretKey);
  const plans = new Map(Object.entries(prices).map(([plan, price]) => [price, plan]));
  const presented = (s: Stripe.Subscription) => subscriptionOf(s, (price) => plans.get(price));
  const open = async (params: Stripe.Checkout.SessionCreateParams, key: string) =>
    checkoutOf(await mapStripeErrors(client.checkout.sessions.create({ ...params, ...(automaticTax && TAXED) }, { idempotencyKey: key })));
  return {
    name: 'stripe',
    testMoney: !live,
    async createCustomer({ accountId, email, key }) {
      const params = { metadata: { account_id: accountId }, ...(email !== '' && { email }) };
      const { id } = await mapStripeErrors(client.customers.create(params, { idempotencyKey: key }));
      return { id };
    },
    topUp: (of) => open(topUpParams(of), of.key),
    subscribe: (of) => open(subscriptionParams(of, prices[of.plan.plan]), of.key),
    checkout: async (id) => checkoutOf(await mapStripeErrors(client.checkout.sessions.retrieve(id))),
    async expireCheckout({ id, key }) {
      const { status } = await mapStripeErrors(client.checkout.sessions.retrieve(id));
      if (status === 'open') await mapStripeErrors(client.checkout.sessions.expire(id, {}, { idempotencyKey: key }));
    },
    async payment(id) {
      const [intent, disputes] = await mapStripeErrors(
        Promise.all([client.paymentIntents.retrieve(id, { expand: ['latest_charge'] }), client.disputes.list({ payment_intent: id, limit: 100 })]),
      );
      return paymentOf(intent, disputes.data);
    },
    async refund({ paymentId, cents, key }) {
      const params = { payment_intent: paymentId, ...(cents !== undefined && { amount: cents }) };
      const { id, amount } = await mapStripeErrors(client.refunds.create(params, { idempotencyKey: key }));
      return { id, paymentId, cents: amount };
    },
    async portal({ customerId, returnUrl, key }) {
      const { url } = await mapStripeErrors(client.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl }, { idempotencyKey: key }));
      return { url };
    },
    subscription: async (id) => presented(await mapStripeErrors(client.subscriptions.retrieve(id))),
    async cancelSubscription({ id, when, prorate, key }) {
      const params = prorate === true ? { prorate, invoice_now: true } : {};
      if (when === 'now') return presented(await mapStripeErrors(client.subscriptions.cancel(id, params, { idempotencyKey: key })));
      return presented(await mapStripeErrors(client.subscriptions.update(id, { cancel_at_period_end: when === 'period_end' }, { idempotencyKey: key })));
    },
    invoice: async (id) => invoiceOf(await mapStripeErrors(client.invoices.retrieve(id))),
    readEvent: (of) => readStripeEvent(client, { ...of, secrets, live }),
    ...stripeAccounts(client),
  };
}

const TAXED = { automatic_tax: { enabled: true }, customer_update: { address: 'auto' } } as const;

function topUpParams({ customerId, reference, cents, description, successUrl, cancelUrl }: TopUpRequest): Stripe.Checkout.SessionCreateParams {
  const price_data = { currency: 'usd', unit_amount: cents, product_data: { name: description } };
  return {
    mode: 'payment',
    customer: customerId,
    client_reference_id: reference,
    line_items: [{ quantity: 1, price_data }],
    metadata: { reference },
    // Refunds and disputes are about the payment: it must lead back to our record too.
    payment_intent_data: { metadata: { reference } },
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}

function subscriptionParams(of: SubscriptionRequest, price: string | undefined): Stripe.Checkout.SessionCreateParams {
  const { customerId, reference, plan, seats, successUrl, cancelUrl } = of;
  const price_data = { currency: 'usd', unit_amount: plan.cents, recurring: { interval: 'month' as const }, product_data: { name: plan.name } };
  return {
    mode: 'subscription',
    customer: customerId,
    client_reference_id: reference,
    line_items: [{ quantity: seats, ...(price === undefined ? { price_data } : { price }) }],
    metadata: { reference },
    subscription_data: { metadata: { reference, plan: plan.plan } },
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}
