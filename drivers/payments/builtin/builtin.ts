// A payment processor without one: test money, kept in PostgreSQL, with pages of its own in the dashboard. It
// does what a real one does to us: answers of writes are kept by their keys, and what happened arrives as
// signed events.
import type { Knex } from 'knex';
import type { Payments } from '../port.ts';
import type { TestMoney } from '../test-money.ts';
import { checkouts } from './checkout.ts';
import { testAccounts } from './connect.ts';
import { deliveries, readTestEvent } from './events.ts';
import { refundPayment } from './payments.ts';
import { portals } from './portal.ts';
import { emit, find, keep, newObjectId, once } from './store.ts';
import { renewDue, updateSubscription, voidOpenInvoices } from './subscriptions.ts';

export interface BuiltinOptions {
  db: Knex;
  baseUrl: string;
  /** By which events are signed. */
  secret: () => Promise<Uint8Array>;
  clock?: () => number;
}

const PORTAL_MS = 3_600_000;

export function builtinPayments({ db, baseUrl, secret, clock = Date.now }: BuiltinOptions): Payments & { testPages: TestMoney } {
  const place = { db, baseUrl, clock };
  const { checkoutPage, finishCheckout, ...checkout } = checkouts(place);
  const { accountPage, fillAccount, takeBackTransfer, payOut, ...accounts } = testAccounts(place);
  return {
    name: 'builtin',
    testMoney: true,
    createCustomer: (of) =>
      once(db, of, clock(), async (tx) => {
        const { accountId, email } = of;
        const { id } = await keep(tx, 'customer', accountId, { id: newObjectId('customer'), accountId, email, cardDeclines: false }, clock());
        return { id };
      }),
    ...checkout,
    payment: (id) => find(db, 'payment', id),
    refund: (of) => once(db, of, clock(), (tx) => refundPayment(tx, of, clock())),
    portal: (of) =>
      once(db, of, clock(), async (tx) => {
        const { customerId, returnUrl } = of;
        const { accountId } = await find(tx, 'customer', customerId);
        const id = newObjectId('portal');
        await keep(tx, 'portal', accountId, { id, customerId, accountId, returnUrl, expiresAt: clock() + PORTAL_MS }, clock());
        return { url: `${baseUrl}/test-money/portal/${id}` };
      }),
    subscription: (id) => find(db, 'subscription', id),
    cancelSubscription: ({ id, when, key }) =>
      once(db, { key, id, when } as { key: string }, clock(), async (tx) => {
        const to = when === 'now' ? ({ state: 'cancelled' } as const) : { cancelAtPeriodEnd: when === 'period_end' };
        const after = await updateSubscription(tx, id, clock(), () => to);
        if (when === 'now') await voidOpenInvoices(tx, after, clock());
        return after;
      }),
    invoice: (id) => find(db, 'invoice', id),
    readEvent: async (request) => readTestEvent(await secret(), request),
    ...accounts,
    testPages: {
      checkoutPage,
      finishCheckout,
      ...portals(db, clock),
      accountPage,
      fillAccount,
      takeBackTransfer,
      payOut,
      tick: (now) => renewDue(db, now),
      emit: (type, about) => emit(db, type, about, clock()),
      ...deliveries(db, secret),
    },
  };
}
