// The page on which a payer of test money sees invoices, changes the plan, cancels, and does what their bank
// might.
import type { Knex } from 'knex';
import { PaymentsFailed } from '../port.ts';
import type { TestMoney } from '../test-money.ts';
import { closeDisputes, openDispute, refundPayment } from './payments.ts';
import { all, change, find, type ObjectKind, type Objects } from './store.ts';
import { payInvoice, updateSubscription } from './subscriptions.ts';

type Portal = Pick<TestMoney, 'portalPage' | 'setCardDeclines' | 'changePlan' | 'cancelAtPeriodEnd' | 'payInvoice' | 'takeBack'>;

export function portals(db: Knex, clock: () => number): Portal {
  /** `work` over something of the portal's own account. */
  const within = <K extends ObjectKind>(portalId: string, kind: K, id: string, work: (tx: Knex) => Promise<unknown>): Promise<void> =>
    db.transaction(async (tx) => {
      const { accountId } = await opened(tx, portalId, clock());
      const row = await tx('test_money_objects').where({ object_id: id, kind, owner_id: accountId }).first('object_id');
      if (!row) throw new PaymentsFailed(`There is no ${kind} of this id`, { retry: false, code: 'not_found' });
      await work(tx);
    });
  return {
    async portalPage(id) {
      const { customerId, accountId, returnUrl } = await opened(db, id, clock());
      const [{ cardDeclines }, subscriptions, invoices, payments] = await Promise.all([
        find(db, 'customer', customerId),
        all(db, 'subscription', accountId),
        all(db, 'invoice', accountId),
        all(db, 'payment', accountId),
      ]);
      return { id, accountId, returnUrl, cardDeclines, subscriptions, invoices, payments };
    },
    setCardDeclines: (id, cardDeclines) =>
      db.transaction(async (tx) => {
        const { customerId } = await opened(tx, id, clock());
        await change(tx, 'customer', { ...(await find(tx, 'customer', customerId, { lock: true })), cardDeclines });
      }),
    changePlan: (portal, id, price, seats) =>
      within(portal, 'subscription', id, (tx) => updateSubscription(tx, id, clock(), () => ({ plan: price.plan, price, seats }))),
    cancelAtPeriodEnd: (portal, id, cancelAtPeriodEnd) =>
      within(portal, 'subscription', id, (tx) => updateSubscription(tx, id, clock(), () => ({ cancelAtPeriodEnd }))),
    payInvoice: (portal, id) => within(portal, 'invoice', id, (tx) => payInvoice(tx, id, clock())),
    takeBack: (portal, id, how) =>
      within(portal, 'payment', id, (tx) => {
        if (how === 'refund') return refundPayment(tx, { paymentId: id }, clock());
        return how === 'dispute' ? openDispute(tx, id, clock()) : closeDisputes(tx, id, how === 'dispute_won' ? 'won' : 'lost', clock());
      }),
  };
}

async function opened(db: Knex, id: string, now: number): Promise<Objects['portal']> {
  const portal = await find(db, 'portal', id);
  if (portal.expiresAt <= now) throw new PaymentsFailed('The page has expired: open it again', { retry: false, code: 'not_found' });
  return portal;
}
