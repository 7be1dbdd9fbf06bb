// Credits on a real database and ledger, against a server that behaves as Stripe does.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '#contract/wire/random.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { platformAccount, accountOf } from '../ledger/accounts.ts';
import { auditLedger } from '../ledger/audit-ledger.ts';
import { hold, release, settleHold } from '../ledger/hold.ts';
import { post } from '../ledger/post.ts';
import { type ProcessorTest, processorTest, walletOf } from '../test/processor.ts';
import { lookAtCheckouts } from '../billing/look.ts';
import { checkOutCredits } from './check-out.ts';
import { takenOf } from './follow-top-up.ts';
import { collectOwed } from './recover.ts';
import { listTopUps } from './top-ups.ts';
import { getWallet } from './wallet.ts';
import { give } from './welcome.ts';

const CREDIT = 1_000_000;
let t: TestContext;
let p: ProcessorTest;
beforeAll(async () => {
  t = await testContext();
  p = await processorTest(t);
});
afterAll(() => Promise.all([t.close(), p.close()]));

const person = async (name: string): Promise<TestUser> => p.at(await t.user(name));
const sessionOf = async (topUpId: string): Promise<string> => (await t.ctx.db('top_ups').where({ top_up_id: topUpId }).first('checkout_id'))?.checkout_id ?? '';
const intentOf = async (topUpId: string): Promise<string> => p.server.state.get('session', await sessionOf(topUpId)).payment_intent ?? '';

async function bought(user: TestUser, cents = 2_000): Promise<string> {
  const { top_up_id } = await checkOutCredits(user, { amount_cents: cents });
  p.server.pay(await sessionOf(top_up_id));
  await p.server.events.deliver(p.post);
  return top_up_id;
}

let spent = 0;
/** As a call that is charged. */
async function spend(user: TestUser, micros: number): Promise<void> {
  const key = `spent:${(spent += 1)}`;
  const [wallet, fees] = [await accountOf(t.ctx.db, 'wallet', user.actor.user_id), await platformAccount(t.ctx.db, 'fees', key)];
  await hold(t.ctx.db, { key, accountId: wallet, micros, at: Date.now(), expiresAt: Date.now() + 60_000 });
  const lines = [{ accountId: wallet, micros: -micros }, { accountId: fees, micros }]; // prettier-ignore
  await settleHold(t.ctx.db, key, { key: `charge:${key}`, kind: 'charge', lines, refs: {}, at: Date.now() });
}

/** What the platform carries is what wallets owe. */
async function lossesAreOwed(): Promise<void> {
  const [row] = await t.ctx
    .db('ledger_accounts')
    .select<{ owed: number; lost: number }[]>(
      t.ctx.db.raw(`coalesce(sum(owed_micros), 0)::bigint as owed, coalesce(-sum(balance_micros) filter (where kind = 'losses'), 0)::bigint as lost`),
    );
  expect(row?.lost).toBe(row?.owed);
}

test('a top-up is in the wallet once it is paid, once, and the wallet says how it came there', async () => {
  const ada = await person('ada');
  const out = await checkOutCredits(ada, { amount_cents: 2_000 });
  expect(out).toMatchObject({ amount_cents: 2_000, test_money: true, url: expect.stringContaining('checkout.stripe.example') });
  expect(await walletOf(ada)).toMatchObject({ balance: 0 });
  p.server.pay(await sessionOf(out.top_up_id), 380);
  await p.server.events.deliver(p.post, { copies: 3 });
  p.server.events.replayAll();
  await p.server.events.deliver(p.post, { copies: 2 });
  await give(t.ctx.db, { key: 'a gift', userId: ada.actor.user_id, micros: 5 * CREDIT, refs: {}, at: Date.now() });
  await spend(ada, 3 * CREDIT);
  const wallet = await getWallet(ada, { limit: 2 });
  expect(wallet).toMatchObject({ balance_micros: 22 * CREDIT, bought_micros: 20 * CREDIT, given_micros: 5 * CREDIT, owed_micros: 0, blocked: false });
  expect(wallet.items.map(({ kind, before_micros, after_micros }) => [kind, before_micros / CREDIT, after_micros / CREDIT])).toEqual([
    ['charge', 25, 22],
    ['promotion', 20, 25],
  ]);
  const rest = await getWallet(ada, { limit: 2, cursor: wallet.next_cursor ?? '' });
  expect(rest.items).toMatchObject([{ kind: 'top_up', amount_micros: 20 * CREDIT, refs: { top_up_id: out.top_up_id } }]);
  expect((await listTopUps(ada, { limit: 10 })).items).toMatchObject([{ state: 'paid', tax_cents: 380, credited_micros: 20 * CREDIT, url: null }]);
  expect((await listTopUps(await person('other'), { limit: 10 })).items).toEqual([]);
});

test('an amount out of bounds is refused, and so is everything where nothing can be paid', async () => {
  const ada = await person('ada');
  for (const amount_cents of [1, 499, 100_001]) await expect(checkOutCredits(ada, { amount_cents })).rejects.toMatchObject({ code: 'invalid_input' });
  const none = { ...ada, drivers: { ...ada.drivers, payments: undefined } };
  await expect(checkOutCredits(none, { amount_cents: 2_000 })).rejects.toMatchObject({ code: 'payments_off' });
  expect(await getWallet(none, { limit: 1 })).toMatchObject({ top_up: null });
});

describe('what is taken back', () => {
  test('is taken from the wallet while it is there; a dispute that is won gives it back', async () => {
    const ada = await person('ada');
    const id = await bought(ada);
    p.server.refund(await intentOf(id), 500);
    await p.server.events.deliver(p.post);
    expect(await walletOf(ada)).toEqual({ balance: 15 * CREDIT, held: 0, owed: 0 });
    p.server.dispute(await intentOf(id));
    await p.server.events.deliver(p.post);
    expect(await walletOf(ada)).toEqual({ balance: 0, held: 0, owed: 0 });
    expect((await listTopUps(ada, { limit: 1 })).items).toMatchObject([{ disputed: true, taken_back_micros: 20 * CREDIT }]);
    p.server.closeDisputes(await intentOf(id), 'won');
    await p.server.events.deliver(p.post, { copies: 2 });
    expect(await walletOf(ada)).toEqual({ balance: 15 * CREDIT, held: 0, owed: 0 });
  });

  test('what was spent is owed: the wallet is blocked until a later top-up, a gift, or a dispute that is won pays it', async () => {
    const ada = await person('ada');
    const id = await bought(ada);
    await spend(ada, 12 * CREDIT);
    p.server.dispute(await intentOf(id));
    await p.server.events.deliver(p.post);
    expect(await walletOf(ada)).toEqual({ balance: 0, held: 0, owed: 12 * CREDIT });
    await lossesAreOwed();
    await give(t.ctx.db, { key: `gift:${id}`, userId: ada.actor.user_id, micros: 2 * CREDIT, refs: {}, at: Date.now() });
    await expect(spend(ada, CREDIT)).rejects.toMatchObject({ code: 'wallet_blocked' });
    await collectOwed(p.at(t.ctx));
    expect(await walletOf(ada)).toEqual({ balance: 0, held: 0, owed: 10 * CREDIT });
    await bought(ada, 3_000);
    expect(await walletOf(ada)).toEqual({ balance: 20 * CREDIT, held: 0, owed: 0 });
    await spend(ada, CREDIT);
    p.server.closeDisputes(await intentOf(id), 'won');
    await p.server.events.deliver(p.post);
    expect(await walletOf(ada)).toEqual({ balance: 39 * CREDIT, held: 0, owed: 0 });
    await lossesAreOwed();
  });

  test('what is held for a call is not taken: it is owed, and collected once it is free; the call itself is charged', async () => {
    const ada = await person('ada');
    const id = await bought(ada);
    const wallet = await accountOf(t.ctx.db, 'wallet', ada.actor.user_id);
    const holding = (key: string) =>
      hold(t.ctx.db, { key: `${id}:${key}`, accountId: wallet, micros: 5 * CREDIT, at: Date.now(), expiresAt: Date.now() + 60_000 });
    await Promise.all([holding('a'), holding('b')]);
    p.server.refund(await intentOf(id));
    await p.server.events.deliver(p.post);
    expect(await walletOf(ada)).toEqual({ balance: 10 * CREDIT, held: 10 * CREDIT, owed: 10 * CREDIT });
    const fees = await platformAccount(t.ctx.db, 'fees', id);
    const lines = [{ accountId: wallet, micros: -4 * CREDIT }, { accountId: fees, micros: 4 * CREDIT }]; // prettier-ignore
    expect(await settleHold(t.ctx.db, `${id}:a`, { key: `charge:${id}`, kind: 'charge', lines, refs: {}, at: Date.now() })).toBe(true);
    await release(t.ctx.db, `${id}:b`, Date.now());
    await expect(holding('c')).rejects.toMatchObject({ code: 'wallet_blocked' });
    const escrow = await platformAccount(t.ctx.db, 'escrow', id);
    const aside = [{ accountId: wallet, micros: -CREDIT }, { accountId: escrow, micros: CREDIT }]; // prettier-ignore
    await expect(post(t.ctx.db, { key: `escrow:${id}`, kind: 'escrow', lines: aside, refs: {}, at: Date.now() })).rejects.toMatchObject({
      code: 'wallet_blocked',
    });
    await collectOwed(p.at(t.ctx));
    expect(await walletOf(ada)).toEqual({ balance: 0, held: 0, owed: 4 * CREDIT });
  });

  test('is in proportion to the payment, which has taxes on top', () => {
    const payment = { cents: 1_190, refundedCents: 595, disputes: [] };
    expect(takenOf(payment, 10 * CREDIT)).toBe(5 * CREDIT);
    expect(takenOf({ ...payment, refundedCents: 1_190 }, 10 * CREDIT)).toBe(10 * CREDIT);
    expect(takenOf({ cents: 0, refundedCents: 0, disputes: [] }, CREDIT)).toBe(0);
  });
});

describe('a crash', () => {
  test('between the processor and our commit doubles nothing: the customer is one, and a paid checkout finds its record', async () => {
    const ada = await person('ada');
    const { payments } = ada.drivers;
    if (!payments) throw new Error('there is a processor');
    const topUp: typeof payments.topUp = async (of) => {
      await payments.topUp(of);
      throw new Error('killed');
    };
    const dies = { ...ada, drivers: { ...ada.drivers, payments: { ...payments, topUp } } };
    await expect(checkOutCredits(dies, { amount_cents: 2_000 })).rejects.toThrow('killed');
    const [lost] = await ada.db('top_ups').where({ user_id: ada.actor.user_id });
    expect(lost).toMatchObject({ state: 'open', checkout_id: null });
    await ada.db('payment_customers').where({ user_id: ada.actor.user_id }).delete();
    const customers = p.server.state.all('customer').length;
    await bought(ada);
    expect(p.server.state.all('customer')).toHaveLength(customers);
    // Nobody has its address; should it be paid all the same, it counts.
    p.server.pay(p.server.state.all('session').find((one) => one.client_reference_id === lost?.top_up_id)?.id ?? '');
    await p.server.events.deliver(p.post, { copies: 2 });
    expect(await walletOf(ada)).toMatchObject({ balance: 40 * CREDIT });
  });

  test('an event that never comes loses no money: the checkout is looked at', async () => {
    const ada = await person('ada');
    const { top_up_id } = await checkOutCredits(ada, { amount_cents: 700 });
    p.server.pay(await sessionOf(top_up_id));
    const later = { ...p.at(t.ctx), clock: () => Date.now() + 5 * 60_000 };
    await Promise.all([lookAtCheckouts(later), lookAtCheckouts(later)]);
    expect(await walletOf(ada)).toMatchObject({ balance: 7 * CREDIT });
    await p.server.events.deliver(p.post, { copies: 2 });
    expect(await walletOf(ada)).toMatchObject({ balance: 7 * CREDIT });
    p.server.now += 1_000;
    const open = await checkOutCredits(ada, { amount_cents: 700 });
    await lookAtCheckouts({ ...p.at(t.ctx), clock: () => Date.now() + 27 * 3_600_000 });
    expect((await listTopUps(ada, { limit: 1 })).items).toMatchObject([{ top_up_id: open.top_up_id, state: 'expired', url: null }]);
  });
});

type Step = { kind: 'top_up' | 'refund' | 'dispute' | 'won' | 'lost' | 'spend' | 'deliver'; who: number; which: number; cents: number };
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('top_up', 'top_up', 'refund', 'dispute', 'won', 'lost', 'spend', 'deliver'),
  who: fc.nat(1),
  which: fc.nat(4),
  cents: fc.integer({ min: 500, max: 5_000 }),
});

test('any history, with events that are late, lost, tripled and out of order, ends with the books as the processor has them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), fc.nat(), async (steps, seed) => {
      const users = await Promise.all([person('one'), person('two')]);
      const paid: { id: string; who: number; cents: number }[] = [];
      const spentBy = [0, 0];
      const stream = Random.of(seed);
      const random = (): number => stream.below(1_000) / 1_000;
      const deliver = () => p.server.events.deliver(p.post, { copies: 3, lost: 0.3, random });
      for (const { kind, who, which, cents } of steps) {
        const [user, one] = [users[who], paid[which % Math.max(1, paid.length)]];
        if (!user) throw new Error('a step names nobody');
        if (kind === 'deliver') await deliver();
        else if (kind === 'spend') {
          const done = await spend(user, cents * 2_000).then(() => true, (error: { code?: string }) => {
            expect(['insufficient_credits', 'wallet_blocked']).toContain(error.code);
            return false;
          }); // prettier-ignore
          if (done) spentBy[who] = (spentBy[who] ?? 0) + cents * 2_000;
        } else if (kind === 'top_up') {
          const { top_up_id } = await checkOutCredits(user, { amount_cents: cents });
          p.server.pay(await sessionOf(top_up_id));
          paid.push({ id: p.server.state.get('session', await sessionOf(top_up_id)).payment_intent ?? '', who, cents });
        } else if (one) {
          const intent = p.server.state.get('intent', one.id);
          const left = intent.amount_received - intent.latest_charge.amount_refunded;
          const disputed = p.server.state.all('dispute').some((d) => d.payment_intent === one.id && d.status !== 'won');
          if (kind === 'refund' && left > 0 && !disputed) p.server.refund(one.id, Math.min(left, cents));
          else if (kind === 'dispute') p.server.dispute(one.id);
          else if (kind === 'won' || kind === 'lost') p.server.closeDisputes(one.id, kind);
        }
        for (const each of users) {
          const { balance, held } = await walletOf(each);
          expect(balance).toBeGreaterThanOrEqual(held);
        }
      }
      await deliver();
      await collectOwed(p.at(t.ctx));
      const once = await Promise.all(users.map(walletOf));
      for (const [who, state] of once.entries()) {
        const kept = paid.filter((one) => one.who === who).reduce((sum, { id }) => {
          const intent = p.server.state.get('intent', id);
          const gone = p.server.state.all('dispute').filter((d) => d.payment_intent === id && d.status !== 'won').reduce((total, d) => total + d.amount, 0);
          return sum + (intent.amount_received - Math.min(intent.amount_received, intent.latest_charge.amount_refunded + gone)) * 10_000;
        }, 0); // prettier-ignore
        expect(state.balance - state.owed).toBe(kept - (spentBy[who] ?? 0));
        expect(Math.min(state.balance, state.owed)).toBe(0);
      }
      await lossesAreOwed();
    }),
    { numRuns: 12 },
  );
  expect(await auditLedger(t.ctx)).toEqual([]);
});

test('everything that ever happened, a hundred times shuffled and tripled, at once: the same books', async () => {
  const ada = await person('ada');
  p.server.events.made.splice(0);
  const first = await bought(ada);
  await bought(ada, 700);
  await spend(ada, 21 * CREDIT);
  p.server.refund(await intentOf(first), 900);
  p.server.dispute(await intentOf(first));
  await p.server.events.deliver(p.post);
  p.server.closeDisputes(await intentOf(first), 'won');
  await p.server.events.deliver(p.post);
  const rows = async () => ({
    wallet: await walletOf(ada),
    entries: await t.ctx.db('ledger_entries').count(),
  });
  const before = await rows();
  for (let round = 0; round < 100; round += 1) {
    p.server.events.replayAll();
    await p.server.events.deliver(p.post, { copies: 3 });
  }
  expect(await rows()).toEqual(before);
  // Before any of them was known, and all at once.
  const ids = p.server.events.made.map(({ id }) => id);
  await t.ctx.db('processor_events').whereIn('event_id', ids).delete();
  await Promise.all(p.server.events.made.map(async (event) => {
    const { raw, signature } = p.server.events.signed(event);
    for (let status = 0; status !== 200; ) status = await p.post(raw, signature);
  })); // prettier-ignore
  expect(await rows()).toEqual(before);
  expect(await t.ctx.db('processor_events').whereIn('event_id', ids)).toHaveLength(ids.length);
});
