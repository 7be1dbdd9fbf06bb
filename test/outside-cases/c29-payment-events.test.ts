// C29. Events of Stripe as its delivery brings them: out of order, twice at once, with two signatures, of
// unknown types, signed by a clock that is off.
import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stripePayments } from '#drivers/payments/stripe/stripe.ts';
import { createWorld, type Who, type World } from '../api/world.ts';
import type { StripeEvent } from '../support/stripe/events.ts';
import { STRIPE_KEY, STRIPE_SECRET, StripeServer } from '../support/stripe/server.ts';

const SIX_MINUTES_MS = 360_000;
const DAY_MS = 86_400_000;
let world: World;
let stripe: StripeServer;
beforeAll(async () => {
  [world, stripe] = await Promise.all([createWorld(), new StripeServer().listen()]);
  world.ctx.drivers.payments = stripePayments({
    secretKey: STRIPE_KEY,
    webhookSecrets: [STRIPE_SECRET],
    apiBase: stripe.url,
    prices: {},
    automaticTax: false,
  });
});
afterAll(() => Promise.all([world.close(), stripe.close()]));

async function post({ raw, signature }: { raw: Buffer; signature: string }) {
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
  const response = await fetch(`${world.url}/v1/billing/processor/webhook`, { method: 'POST', headers, body: raw.toString() });
  const { detail, ...rest } = (await response.json()) as { detail?: { code: string; message: string } };
  return { status: response.status, ...detail, ...rest };
}
const deliver = (event: StripeEvent) => post(stripe.events.signed(event));
/** What happened at Stripe since it was asked last, in its order. */
const news = (): StripeEvent[] => stripe.events.made.splice(0);
const billing = (who: Who) => world.as(who).billing.get();

async function bought(who: Who): Promise<string> {
  await world.as(who).billing.checkout({ body: { plan: 'pro' } });
  const session = stripe.state.all('session').findLast(({ mode }) => mode === 'subscription');
  stripe.pay(session?.id ?? '');
  for (const event of news()) expect(await deliver(event)).toMatchObject({ status: 200, taken: true });
  return stripe.state.get('session', session?.id ?? '').subscription ?? '';
}

test('a subscription that has ended stays so when an older event says active; its period is read from its items', async () => {
  const id = await bought('ben');
  const { subscription } = await billing('ben');
  expect(subscription).toMatchObject({ state: 'active' });
  // What comes of the subscription itself has no period in this version of Stripe's API.
  expect(Object.keys(stripe.state.get('subscription', id))).not.toContain('current_period_end');
  expect(Date.parse(subscription?.period_end ?? '')).toBeGreaterThan(Date.now() + 29 * DAY_MS);
  const { payments } = world.ctx.drivers;
  await payments?.cancelSubscription({ id, when: 'never', key: 'c29:updated' });
  const [updated] = news();
  await payments?.cancelSubscription({ id, when: 'now', key: 'c29:deleted' });
  const deleted = news().find(({ type }) => type === 'customer.subscription.deleted');
  if (!updated || !deleted) throw new Error('Stripe has said nothing');
  expect(JSON.parse(updated.text)).toMatchObject({ type: 'customer.subscription.updated', data: { object: { status: 'active' } } });
  for (const event of [deleted, updated]) {
    expect(await deliver(event)).toMatchObject({ status: 200, taken: true });
    expect(await billing('ben')).toMatchObject({ plan: { plan: 'free' }, subscription: null });
  }
});

test('one event twice at once has one effect', async () => {
  const wallet = async () => (await world.as('ada').credits.wallet({ query: {} })).balance_micros;
  const before = await wallet();
  await world.as('ada').credits.checkout({ body: { amount_cents: 1_000 } });
  stripe.pay(stripe.state.all('session').findLast(({ mode }) => mode === 'payment')?.id ?? '');
  for (const event of news()) {
    const answers = await Promise.all([deliver(event), deliver(event)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }
  expect((await wallet()) - before).toBe(10_000_000);
});

function made(type: string): StripeEvent {
  stripe.events.add(type, { object: type.split('.')[0] ?? '', id: `obj_${type}` });
  const [event] = news();
  if (!event) throw new Error('Stripe has said nothing');
  return event;
}

test('while a secret is rotated a header has two signatures: the second one holds as the first does', async () => {
  const event = made('product.created');
  const timestamp = Math.floor(Date.now() / 1000);
  const by = (secret: string) => Stripe.webhooks.generateTestHeaderString({ payload: event.text, secret, timestamp }).replace(/^t=\d+,/, '');
  const raw = Buffer.from(event.text);
  expect(await post({ raw, signature: `t=${timestamp},${by('whsec_next')}` })).toMatchObject({ status: 403, code: 'event_signature_invalid' });
  expect(await post({ raw, signature: `t=${timestamp},${by('whsec_next')},${by(STRIPE_SECRET)}` })).toMatchObject({ status: 200 });
});

test('a type that nobody knows is answered with 200 and changes nothing', async () => {
  expect(await deliver(made('something.not_invented_yet'))).toMatchObject({ status: 200, taken: true, reason: 'not_followed' });
});

test.each([
  ['old', -SIX_MINUTES_MS],
  ['of a time to come', SIX_MINUTES_MS],
])('an event that is six minutes %s is refused, and the answer says why', async (_, off) => {
  const event = made('product.created');
  const answer = await post(stripe.events.signed(event, { at: Date.now() + off }));
  expect(answer).toMatchObject({ status: 403, code: 'event_too_old', message: expect.stringMatching(/five minutes.*clock/) });
  expect(await world.ctx.db('processor_events').where({ event_id: event.id })).toEqual([]);
});
