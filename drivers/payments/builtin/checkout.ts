// Checkouts of test money: a page with three buttons, and what each of them does.
import type { Knex } from 'knex';
import type { Payments, SubscriptionRequest, TopUpRequest } from '../port.ts';
import type { CheckoutPage, TestMoney } from '../test-money.ts';
import { change, emit, find, keep, newObjectId, type Objects, once } from './store.ts';
import { startSubscription } from './subscriptions.ts';

const OPEN_MS = 24 * 3_600_000;

interface Place {
  db: Knex;
  baseUrl: string;
  clock: () => number;
}
type CheckoutPayments = Pick<Payments, 'topUp' | 'subscribe' | 'checkout' | 'expireCheckout'>;

export function checkouts({ db, baseUrl, clock }: Place): CheckoutPayments & Pick<TestMoney, 'checkoutPage' | 'finishCheckout'> {
  const open = (of: TopUpRequest | SubscriptionRequest) =>
    once(db, of, clock(), async (tx) => {
      const now = clock();
      const { accountId } = await find(tx, 'customer', of.customerId);
      const id = newObjectId('checkout');
      const page = { id, accountId, ...checkoutFields(of), url: `${baseUrl}/test-money/checkout/${id}`, ...FRESH, expiresAt: now + OPEN_MS };
      return keep(tx, 'checkout', accountId, page, now);
    });
  return {
    topUp: open,
    subscribe: open,
    checkout: (id) => find(db, 'checkout', id),
    checkoutPage: (id) => find(db, 'checkout', id),
    async expireCheckout({ id }) {
      await db.transaction(async (tx) => end(tx, await find(tx, 'checkout', id, { lock: true }), clock()));
    },
    finishCheckout: (id, how) =>
      db.transaction(async (tx) => {
        const page = await find(tx, 'checkout', id, { lock: true });
        if (page.state !== 'open' || how === 'decline') return page;
        if (how === 'cancel' || page.expiresAt <= clock()) return end(tx, page, clock());
        return pay(tx, page, clock());
      }),
  };
}

const FRESH = { state: 'open', paid: false, taxCents: 0, paymentId: null, subscriptionId: null } as const;

function checkoutFields(of: TopUpRequest | SubscriptionRequest) {
  const { customerId, reference, successUrl, cancelUrl } = of;
  const common = { customerId, reference, successUrl, cancelUrl };
  if ('plan' in of) return { ...common, kind: 'subscription', plan: of.plan, text: of.plan.name, seats: of.seats, cents: of.plan.cents * of.seats } as const;
  return { ...common, kind: 'top_up', plan: null, text: of.description, seats: 1, cents: of.cents } as const;
}

async function end(tx: Knex, page: Objects['checkout'], now: number): Promise<CheckoutPage> {
  if (page.state !== 'open') return page;
  await emit(tx, 'checkout.expired', { kind: 'checkout', id: page.id }, now);
  return change(tx, 'checkout', { ...page, state: 'expired', url: null });
}

async function pay(tx: Knex, page: Objects['checkout'], now: number): Promise<CheckoutPage> {
  const done = { ...page, state: 'complete', url: null, paid: true } as const;
  await emit(tx, 'checkout.completed', { kind: 'checkout', id: page.id }, now);
  if (page.plan !== null) {
    const subscriptionId = await startSubscription(tx, { ...page, plan: page.plan }, now);
    return change(tx, 'checkout', { ...done, subscriptionId });
  }
  const { accountId, reference, customerId, cents } = page;
  const id = newObjectId('payment');
  await keep(tx, 'payment', accountId, { id, accountId, reference, customerId, paid: true, cents, refundedCents: 0, disputes: [] }, now);
  await emit(tx, 'payment.succeeded', { kind: 'payment', id }, now);
  return change(tx, 'checkout', { ...done, paymentId: id });
}
