// Plans on a real database, against a server that behaves as Stripe does, with mail that is really sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMail } from '#drivers/mail/open.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { inbox } from '#test/support/mail.ts';
import { accountLimit } from '../../accounts/control.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { planOf } from '../../accounts/plan.ts';
import { fundedCalls } from '../account-access/funded.ts';
import { auditLedger } from '../ledger/audit-ledger.ts';
import { type ProcessorTest, processorTest, walletOf } from '../test/processor.ts';
import { cancelBilling } from './cancel.ts';
import { checkOutPlan } from './check-out.ts';
import { dun, resendDunning } from './dunning.ts';
import { endSubscriptions } from './end.ts';
import { getBilling } from './get.ts';
import { listInvoices } from './invoices.ts';
import { lookAtCheckouts } from './look.ts';
import { openPortal } from './portal.ts';
import { writeUsageInvoices } from './usage-invoices.ts';

const CREDIT = 1_000_000;
const DAY_MS = 86_400_000;
let t: TestContext;
let p: ProcessorTest;
beforeAll(async () => {
  t = await testContext();
  p = await processorTest(t);
});
afterAll(() => Promise.all([t.close(), p.close()]));

const person = async (name: string): Promise<TestUser> => p.at(await t.user(name));
const deliver = (copies = 1) => p.server.events.deliver(p.post, { copies });
const sessionOf = async ({ db, actor }: TestUser): Promise<string> => (await db('plan_checkouts').where({ user_id: actor.user_id }).first())?.checkout_id ?? '';
const subscriptionOf = async ({ db, actor }: TestUser) => {
  const row = await db('subscriptions').where({ user_id: actor.user_id }).orderBy('created_at', 'desc').first();
  if (!row) throw new Error('there is no subscription');
  return row;
};

async function subscribed(name: string, plan = 'pro', seats = 1): Promise<TestUser> {
  const user = await person(name);
  await checkOutPlan(user, { plan, seats });
  p.server.pay(await sessionOf(user));
  await deliver(2);
  return user;
}

test('a plan that is paid is the plan of the account: its limits, its credits, its invoice', async () => {
  const ada = await person('ada');
  expect(await getBilling(ada)).toMatchObject({
    plan: { plan: 'free' },
    subscription: null,
    seats: 1,
    plans: [{ plan: 'free' }, { plan: 'pro' }, { plan: 'team' }],
  });
  const limits = async () => [await accountLimit(t.ctx.db, ada.actor.user_id, 'agents'), await fundedCalls(t.ctx.db, ada.actor.user_id, Date.now())];
  expect(await limits()).toEqual([5_000, 25]);
  expect(await checkOutPlan(ada, { plan: 'team', seats: 3 })).toMatchObject({ plan: 'team', seats: 3, url: expect.stringContaining('https://') });
  expect((await planOf(t.ctx.db, ada.actor.user_id)).plan.plan).toBe('free');
  p.server.pay(await sessionOf(ada));
  await deliver(3);
  expect(await getBilling(ada)).toMatchObject({
    plan: { plan: 'team' },
    seats: 3,
    subscription: { state: 'active', cancel_at_period_end: false, pay_before: null },
  });
  expect(await limits()).toEqual([10_000, 250]);
  expect(await walletOf(ada)).toMatchObject({ balance: 45 * CREDIT });
  const { items } = await listInvoices(ada, { limit: 10 });
  expect(items).toMatchObject([{ kind: 'subscription', state: 'paid', amount_micros: 90 * CREDIT, lines: [{ quantity: 3, amount_micros: 90 * CREDIT }] }]);
  await expect(checkOutPlan(ada, { plan: 'pro', seats: 1 })).rejects.toMatchObject({ code: 'already_subscribed' });
  p.server.renew((await subscriptionOf(ada)).subscription_id);
  await deliver(3);
  expect(await walletOf(ada)).toMatchObject({ balance: 90 * CREDIT });
  expect((await listInvoices(await person('other'), { limit: 10 })).items).toEqual([]);
  expect(await auditLedger(t.ctx)).toEqual([]);
});

test('what cannot be bought is refused', async () => {
  const ada = await person('ada');
  await expect(checkOutPlan(ada, { plan: 'gold', seats: 1 })).rejects.toMatchObject({ code: 'plan_not_found' });
  await expect(checkOutPlan(ada, { plan: 'free', seats: 1 })).rejects.toMatchObject({ code: 'plan_not_offered' });
  await expect(checkOutPlan(ada, { plan: 'pro', seats: 2 })).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(cancelBilling(ada, { resume: false })).rejects.toMatchObject({ code: 'not_subscribed' });
  const none = { ...ada, drivers: { ...ada.drivers, payments: undefined } };
  await expect(checkOutPlan(none, { plan: 'pro', seats: 1 })).rejects.toMatchObject({ code: 'payments_off' });
  expect(await getBilling(none)).toMatchObject({ test_money: null });
});

test('a plan is ended at the end of what is paid, or goes on after all', async () => {
  const ada = await subscribed('ada');
  expect(await cancelBilling(ada, { resume: false })).toMatchObject({ plan: { plan: 'pro' }, subscription: { cancel_at_period_end: true } });
  expect(await cancelBilling(ada, { resume: true })).toMatchObject({ subscription: { cancel_at_period_end: false } });
  await cancelBilling(ada, { resume: false });
  p.server.renew((await subscriptionOf(ada)).subscription_id);
  await deliver();
  expect(await getBilling(ada)).toMatchObject({ plan: { plan: 'free' }, subscription: null });
  expect((await openPortal(ada)).url).toMatch(/^https:/);
});

describe('two checkouts at once', () => {
  test('for the same plan are one page; for another plan the first is closed', async () => {
    const ada = await person('ada');
    const pages = await Promise.all(Array.from({ length: 4 }, () => checkOutPlan(ada, { plan: 'pro', seats: 1 })));
    expect(new Set(pages.map(({ url }) => url)).size).toBe(1);
    const first = await sessionOf(ada);
    expect((await checkOutPlan(ada, { plan: 'team', seats: 2 })).url).not.toBe(pages[0]?.url);
    expect(p.server.state.get('session', first).status).toBe('expired');
  });

  test('a crash between the processor and our commit makes no second page', async () => {
    const ada = await person('ada');
    const { payments } = ada.drivers;
    if (!payments) throw new Error('there is a processor');
    const checkout: typeof payments.checkout = () => Promise.reject(new Error('killed'));
    await expect(checkOutPlan({ ...ada, drivers: { ...ada.drivers, payments: { ...payments, checkout } } }, { plan: 'pro', seats: 1 })).rejects.toThrow(
      'killed',
    );
    await ada.db('plan_checkouts').where({ user_id: ada.actor.user_id }).update({ checkout_id: null });
    const sessions = p.server.state.all('session').length;
    await checkOutPlan(ada, { plan: 'pro', seats: 1 });
    expect(p.server.state.all('session')).toHaveLength(sessions);
  });

  test('that are both paid leave the older one, whatever is heard first; the other is ended at the processor', async () => {
    for (const olderFirst of [true, false]) {
      const ada = await person('ada');
      await checkOutPlan(ada, { plan: 'pro', seats: 1 });
      const first = await sessionOf(ada);
      // Its page was paid in the moment in which the other was opened.
      await ada.db('plan_checkouts').where({ user_id: ada.actor.user_id }).delete();
      await checkOutPlan(ada, { plan: 'team', seats: 2 });
      p.server.pay(first);
      const older = p.server.events.made.splice(0);
      p.server.now += 1_000;
      p.server.pay(await sessionOf(ada));
      const younger = p.server.events.made.splice(0);
      for (const event of olderFirst ? [...older, ...younger] : [...younger, ...older]) {
        const { raw, signature } = p.server.events.signed(event);
        expect(await p.post(raw, signature)).toBe(200);
      }
      expect(await getBilling(ada)).toMatchObject({ plan: { plan: 'pro' } });
      await endSubscriptions(p.at(t.ctx));
      await deliver();
      expect(await ada.db('subscriptions').where({ user_id: ada.actor.user_id }).orderBy('plan').select('plan', 'state')).toEqual([
        { plan: 'pro', state: 'active' },
        { plan: 'team', state: 'cancelled' },
      ]);
      expect(
        p.server.state.all('subscription').filter(({ metadata, status }) => metadata['reference'] === ada.actor.user_id && status === 'active'),
      ).toHaveLength(1);
    }
  });
});

test('events in any order, tripled, are the same plan; an event that never comes is looked for', async () => {
  const ada = await subscribed('ada', 'team', 2);
  const { subscription_id } = await subscriptionOf(ada);
  p.server.setDeclines(p.server.state.get('subscription', subscription_id).customer, true);
  p.server.renew(subscription_id);
  p.server.payInvoices(subscription_id);
  for (let round = 0; round < 20; round += 1) {
    await t.ctx.db('processor_events').delete();
    p.server.events.replayAll();
    await deliver(3);
  }
  expect(await getBilling(ada)).toMatchObject({ plan: { plan: 'team' }, subscription: { state: 'active' } });
  expect(await walletOf(ada)).toMatchObject({ balance: 60 * CREDIT });
  const ben = await person('ben');
  await checkOutPlan(ben, { plan: 'pro', seats: 1 });
  p.server.pay(await sessionOf(ben));
  await lookAtCheckouts({ ...p.at(t.ctx), clock: () => p.server.now + 5 * 60_000 });
  expect(await getBilling(ben)).toMatchObject({ plan: { plan: 'pro' } });
  await deliver();
  expect(await walletOf(ben)).toMatchObject({ balance: 10 * CREDIT });
});

test('a subscription of a customer who is not ours, and of another account, changes nothing', async () => {
  const ada = await subscribed('ada');
  const { subscription_id } = await subscriptionOf(ada);
  const before = p.server.state.get('subscription', subscription_id);
  const stranger = { ...before, id: 'sub_stranger', customer: 'cus_stranger', metadata: {} };
  const forged = { ...before, id: 'sub_forged', metadata: { reference: 'usr_other', plan: 'team' } };
  for (const one of [stranger, forged]) p.server.events.add('customer.subscription.created', p.server.state.put('subscription', one));
  p.server.events.add('product.created', { object: 'product', id: 'prod_1' });
  await deliver();
  expect(await t.ctx.db('subscriptions').whereIn('subscription_id', ['sub_stranger', 'sub_forged'])).toEqual([]);
});

describe('a plan that is not paid', () => {
  async function withMail(work: (ctx: Ctx, taken: () => string[]) => Promise<void>): Promise<void> {
    const server = await inbox();
    const mail = openMail({ domain: 'svc.test', hostname: 'svc.test', selector: 'svc', relay: `smtp://127.0.0.1:${server.port}`, arcSealers: [] });
    const ctx = p.at(t.ctx);
    await work({ ...ctx, drivers: { ...ctx.drivers, mail } }, () => server.mails.map(({ raw }) => raw.toString())).finally(() => server.close());
  }
  const round = async (ctx: Ctx): Promise<void> => {
    await Promise.all([dun(ctx), dun(ctx)]);
    await resendDunning(ctx);
    await endSubscriptions(ctx);
    await deliver();
  };

  test('is said by mail at each step once, then ends; what is paid in time goes on', async () => {
    const [ada, ben] = [await subscribed('ada'), await subscribed('ben')];
    for (const user of [ada, ben]) {
      const { subscription_id } = await subscriptionOf(user);
      p.server.setDeclines(p.server.state.get('subscription', subscription_id).customer, true);
      p.server.renew(subscription_id);
    }
    await deliver();
    expect(await getBilling(ada)).toMatchObject({ plan: { plan: 'pro' }, subscription: { state: 'past_due', pay_before: expect.any(String) } });
    await withMail(async (ctx, taken) => {
      const mails = (to: TestUser): number => taken().filter((raw) => raw.includes(to.actor.email)).length;
      for (const days of [0, 1, 2, 0.5]) {
        p.server.now += days * DAY_MS;
        await round(ctx);
      }
      expect(mails(ada)).toBe(2);
      p.server.payInvoices((await subscriptionOf(ben)).subscription_id);
      await deliver();
      for (const days of [5, 5, 5, 5]) {
        p.server.now += days * DAY_MS;
        await round(ctx);
      }
      expect([mails(ada), mails(ben)]).toEqual([4, 2]);
      expect(taken().filter((raw) => raw.includes('has ended'))).toHaveLength(1);
    });
    expect(await getBilling(ada)).toMatchObject({ plan: { plan: 'free' }, subscription: null });
    expect(p.server.state.get('subscription', (await subscriptionOf(ada)).subscription_id).status).toBe('canceled');
    expect(await getBilling(ben)).toMatchObject({ plan: { plan: 'pro' }, subscription: { state: 'active' } });
  });
});

test('a month of calls is one statement of who paid them, however often it is written', async () => {
  const [ada, ben] = [await person('ada'), await person('ben')];
  const ended = new Date('2026-10-15T12:00:00Z');
  const charge = (skill: string, amount_micros: number, payer = ada) => ({
    charge_id: newId('run'),
    run_id: newId('run'),
    agent_id: 'agt_gone',
    skill,
    price_id: 'price',
    creator_id: 'usr_creator',
    payer_id: payer.actor.user_id,
    state: 'settled' as const,
    free: false,
    held_micros: amount_micros,
    amount_micros,
    creator_micros: amount_micros,
    fee_micros: 0,
    units: '{}',
    started_at: ended,
    ended_at: ended,
  });
  const released = { ...charge('read', 900), state: 'released' as const, amount_micros: null, creator_micros: null, fee_micros: null };
  await t.ctx.db('charges').insert([charge('read', 300), charge('read', 200), charge('write', 50), charge('write', 7, ben), released]);
  const at = (time: string) => ({ ...t.ctx, clock: () => Date.parse(time) });
  await writeUsageInvoices(at('2026-10-31T23:00:00Z'));
  expect((await listInvoices(ada, { limit: 10 })).items).toEqual([]);
  await Promise.all([writeUsageInvoices(at('2026-11-01T07:00:00Z')), writeUsageInvoices(at('2026-11-02T07:00:00Z'))]);
  expect((await listInvoices(ada, { limit: 10 })).items).toMatchObject([
    {
      kind: 'usage',
      number: '2026-10',
      state: 'paid',
      amount_micros: 550,
      paid_micros: 550,
      lines: [{ quantity: 2, amount_micros: 500 }, { amount_micros: 50 }],
    },
  ]);
  expect((await listInvoices(ben, { limit: 10 })).items).toMatchObject([{ kind: 'usage', amount_micros: 7, lines: [{ quantity: 1, amount_micros: 7 }] }]);
});
