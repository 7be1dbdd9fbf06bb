// Credits, plans and webhooks as they are served, with test money: what a person does in the dashboard, and
// what a stranger sends.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { MAX_EVENT_BYTES } from '#contract/money/billing.ts';
import { verifies } from '#test/spec/verifies.ts';
import { signedTestEvent, type SignedEvent } from '#test/support/test-money.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.close());

const beside = (who: Who) => createClient({ baseUrl: world.url, token: world.tokens[who] });
const pageOf = ({ url }: { url: string }) => ({ page_id: new URL(url).pathname.split('/').at(-1) ?? '' });
const finish = (who: Who, page: { url: string }, action: 'pay' | 'decline' | 'cancel') =>
  beside(who).testMoney.finishCheckout({ params: pageOf(page), body: { action } });

verifies(
  ['credits.wallet', 'credits.checkout'],
  'credits are added when they are paid; a declined page stays open, and other users cannot read it',
  async () => {
    const before = await world.as('ben').credits.wallet({ query: {} });
    const page = await world.as('ben').credits.checkout({ body: { amount_cents: 2_000 } });
    expect(page).toMatchObject({ test_money: true, url: expect.stringContaining('/test-money/checkout/') });
    await expect(beside('ada').testMoney.checkout({ params: pageOf(page) })).rejects.toMatchObject({ status: 404, code: 'test_money_not_found' });
    await expect(finish('ada', page, 'pay')).rejects.toMatchObject({ status: 404 });
    expect(await finish('ben', page, 'decline')).toMatchObject({ state: 'open' });
    const both = await Promise.all([finish('ben', page, 'pay'), finish('ben', page, 'pay')]);
    expect(both.map(({ state }) => state)).toEqual(['complete', 'complete']);
    const wallet = await world.as('ben').credits.wallet({ query: {} });
    expect(wallet.balance_micros - before.balance_micros).toBe(20_000_000);
    expect((await beside('ben').credits.topUps({ query: {} })).items).toMatchObject([{ state: 'paid', test_money: true }]);
    await expect(world.as('ben').credits.checkout({ body: { amount_cents: 1 } })).rejects.toMatchObject({ status: 422 });
  },
);

verifies(
  ['billing.get', 'billing.checkout', 'billing.cancel', 'billing.invoices', 'billing.portal'],
  'a plan is bought, changed, refunded and ended',
  async () => {
    const ben = world.as('ben');
    expect(await ben.billing.get()).toMatchObject({ plan: { plan: 'free' }, subscription: null, test_money: true });
    await expect(ben.billing.checkout({ body: { plan: 'gold' } })).rejects.toMatchObject({ status: 404, code: 'plan_not_found' });
    await finish('ben', await ben.billing.checkout({ body: { plan: 'pro' } }), 'pay');
    expect(await ben.billing.get()).toMatchObject({ plan: { plan: 'pro' }, subscription: { state: 'active' } });
    await expect(ben.billing.checkout({ body: { plan: 'team', seats: 2 } })).rejects.toMatchObject({ status: 409, code: 'already_subscribed' });
    expect((await ben.billing.invoices({ query: {} })).items).toMatchObject([{ kind: 'subscription', state: 'paid', amount_micros: 20_000_000 }]);
    const params = pageOf(await ben.billing.portal());
    await expect(beside('ada').testMoney.portal({ params })).rejects.toMatchObject({ status: 404 });
    const { testMoney } = beside('ben');
    const portal = await testMoney.portal({ params });
    const [subscription, payment] = [portal.subscriptions[0], portal.payments[0]];
    if (!subscription || !payment) throw new Error('Ben has paid for both');
    await testMoney.usePortal({ params, body: { action: 'plan', subscription_id: subscription.subscription_id, plan: 'team', seats: 4 } });
    expect(await ben.billing.get()).toMatchObject({ plan: { plan: 'team' }, seats: 4 });
    const before = await ben.credits.wallet({ query: {} });
    await testMoney.usePortal({ params, body: { action: 'take_back', payment_id: payment.payment_id, how: 'refund' } });
    expect((await ben.credits.wallet({ query: {} })).balance_micros).toBe(before.balance_micros - 20_000_000);
    expect(await ben.billing.cancel({ body: {} })).toMatchObject({ subscription: { cancel_at_period_end: true } });
  },
);

test('operators see and change plans, and what was paid', async () => {
  const { plans } = beside('operator');
  const { items } = await plans.list();
  expect(items.map(({ plan }) => plan)).toEqual(['free', 'pro', 'team', 'basic']);
  const { plan, accounts, updated_at, version, ...facts } = items[1] ?? {};
  const changed = { ...facts, name: 'Professional', version };
  expect(await plans.put({ params: { plan: 'pro' }, body: changed as never })).toMatchObject({ name: 'Professional', version: 1 });
  await expect(plans.put({ params: { plan: 'pro' }, body: changed as never })).rejects.toMatchObject({ status: 409, code: 'version_conflict' });
  await expect(plans.put({ params: { plan: 'free' }, body: { ...changed, price_cents: 1 } as never })).rejects.toMatchObject({ status: 422 });
  await expect(beside('ada').plans.list()).rejects.toMatchObject({ status: 403 });
  const metrics = await world.as('operator').admin.billingMetrics({ query: {} });
  expect(metrics.top_ups).toMatchObject({ count: 2, credited_micros: 70_000_000, taken_back_micros: 20_000_000 });
  expect(metrics.subscriptions).toMatchObject([
    { plan: 'basic', active: 1, monthly_cents: 100 },
    { plan: 'team', active: 1, seats: 4, monthly_cents: 12_000 },
  ]);
  expect(metrics.books).toMatchObject({ owed_micros: 0, losses_micros: 0, promotion_micros: 10_000_000 });
  expect([plan, accounts, updated_at]).toBeDefined();
});

async function send({ body, headers }: SignedEvent, more: { text?: string; token?: string } = {}) {
  const response = await fetch(`${world.url}/v1/billing/processor/webhook`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', ...(more.token !== undefined && { authorization: `Bearer ${more.token}` }) },
    body: more.text ?? JSON.stringify(body),
  });
  const answer = (await response.json()) as { taken?: boolean; reason?: string; detail?: { code: string } };
  return { status: response.status, ...answer, code: answer.detail?.code };
}

verifies('billing.webhook', 'a signature opens it, once for each event; what is forged, old, too large or no event is refused', async () => {
  const { ctx } = world;
  const event = await signedTestEvent(ctx, { id: 'tevt_1', type: 'nothing' });
  expect(await send(event)).toMatchObject({ status: 200, taken: true, reason: 'not_followed' });
  expect(await send(event)).toMatchObject({ status: 200, taken: false, reason: 'replayed' });
  const racing = await signedTestEvent(ctx, { id: 'tevt_2', type: 'payment.succeeded', about: { kind: 'payment', id: 'tpay_none' } });
  const all = await Promise.all(Array.from({ length: 5 }, () => send(racing)));
  expect(all.filter(({ taken }) => taken)).toHaveLength(1);
  const other = await signedTestEvent(ctx, { id: 'tevt_3', type: 'nothing' });
  expect(await send(other, { text: `${JSON.stringify(other.body)} ` })).toMatchObject({ status: 403, code: 'event_signature_invalid' });
  expect(await send({ ...other, headers: { 'stripe-signature': 't=1,v1=00' } })).toMatchObject({ status: 403, code: 'event_signature_invalid' });
  expect(await send({ ...other, headers: {} })).toMatchObject({ status: 401, code: 'unauthenticated' });
  expect(await send(other, { token: world.tokens.ada })).toMatchObject({ status: 403, code: 'wrong_scope' });
  expect(await send(await signedTestEvent(ctx, { id: 'tevt_4', type: 'nothing' }, Date.now() - 400_000))).toMatchObject({ status: 403, code: 'event_too_old' });
  expect(await send(await signedTestEvent(ctx, { id: 'tevt_5' } as never))).toMatchObject({ status: 400, code: 'event_invalid' });
  expect(await send(other, { text: 'x'.repeat(MAX_EVENT_BYTES + 1) })).toMatchObject({ status: 413, code: 'body_too_large' });
  expect(await ctx.db('processor_events').whereIn('event_id', ['tevt_3', 'tevt_4', 'tevt_5'])).toEqual([]);
});
