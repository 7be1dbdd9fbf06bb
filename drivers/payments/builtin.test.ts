import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Knex } from 'knex';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { builtinPayments } from './builtin/builtin.ts';
import { nextMonth } from './builtin/subscriptions.ts';
import { paymentsConformance, type ProcessorWorld } from './conformance.ts';

let db: Knex;
let now = Date.now();
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

const secret = async (): Promise<Uint8Array> => Buffer.from('of the tests');
const open = () => builtinPayments({ db, baseUrl: 'http://localhost:8080', secret, clock: () => now });

function world(): ProcessorWorld {
  const payments = open();
  const { testPages: pages } = payments;
  const portal = async (of: string): Promise<string> => {
    const { url } = await payments.portal({ customerId: of, returnUrl: 'http://localhost:8080', key: crypto.randomUUID() });
    return url.split('/').at(-1) ?? '';
  };
  const portalOf = async (paymentId: string): Promise<string> => portal((await payments.payment(paymentId)).customerId ?? '');
  return {
    payments,
    now: () => now,
    pay: async (id) => void (await pages.finishCheckout(id, 'pay')),
    dispute: async (id) => pages.takeBack(await portalOf(id), id, 'dispute'),
    closeDispute: async (id, how) => pages.takeBack(await portalOf(id), id, how === 'won' ? 'dispute_won' : 'dispute_lost'),
    declineRenewals: async (id) => pages.setCardDeclines(await portal(id), true),
    async renew(id) {
      now = (await payments.subscription(id)).periodEnd;
      await pages.tick(now);
    },
    fillAccount: (id) => pages.fillAccount(id, 'complete'),
    restrictAccount: (id) => pages.fillAccount(id, 'restrict'),
    payOut: (id, how) => pages.payOut(id, how),
    events: () => pages.due(now, 1_000),
  };
}

describe('test money', () => {
  paymentsConformance(world);

  it('a declined checkout stays open; a cancelled one is over', async () => {
    const { payments } = world();
    const { testPages: pages } = open();
    const { id: customerId } = await payments.createCustomer({ accountId: 'usr_9', email: '', key: crypto.randomUUID() });
    const pagesOf = { successUrl: 'http://localhost/a', cancelUrl: 'http://localhost/b' };
    const { id } = await payments.topUp({ customerId, reference: 'top_9', cents: 700, description: 'x', ...pagesOf, key: crypto.randomUUID() });
    expect(await pages.finishCheckout(id, 'decline')).toMatchObject({ state: 'open' });
    expect(await pages.finishCheckout(id, 'cancel')).toMatchObject({ state: 'expired', paid: false });
    expect(await pages.finishCheckout(id, 'pay')).toMatchObject({ state: 'expired', paid: false });
  });

  it('an event that was not taken comes again, later each time; one that was taken does not', async () => {
    const { testPages: pages } = open();
    for (const { id } of await pages.due(now, 1_000)) await pages.delivered(id);
    await pages.emit('something', { kind: 'payment', id: 'tpay_1' });
    const [event] = await pages.due(now, 10);
    await pages.failed(event?.id ?? '', now);
    expect(await pages.due(now, 10)).toEqual([]);
    expect(await pages.due(now + 5_000, 10)).toHaveLength(1);
    await pages.failed(event?.id ?? '', now);
    expect(await pages.due(now + 5_000, 10)).toEqual([]);
    await pages.delivered(event?.id ?? '');
    expect(await pages.due(now + 86_400_000, 10)).toEqual([]);
  });

  it('a month ends on the same day, or the last one there is', () => {
    const month = (from: string): string => new Date(nextMonth(Date.parse(from))).toISOString();
    expect(['2026-01-31T10:00:00Z', '2026-12-15T00:00:00Z', '2028-01-30T00:00:00Z'].map(month)).toEqual([
      '2026-02-28T10:00:00.000Z',
      '2027-01-15T00:00:00.000Z',
      '2028-02-29T00:00:00.000Z',
    ]);
  });
});
