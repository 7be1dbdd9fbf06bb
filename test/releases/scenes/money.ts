// What people pay, earn and are paid; models that a service calls for a run; bounties.
import type { Person } from '../installation.ts';
import { eventually, type Play, ran, when } from '../play.ts';

/** The last part of a page's address. */
const pageIn = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

export async function money(play: Play): Promise<void> {
  const { ada, ben, operator } = play.people;
  for (const [key, value] of [
    ['payout_hold_days', 0],
    ['payout_minimum_cents', 1],
  ] as const) {
    const { version } = await operator.api.admin.getSetting({ params: { key } });
    await operator.api.admin.putSetting({ params: { key }, body: { value, version } });
  }
  const { url } = await ada.api.payouts.openAccount({ body: {} });
  await ada.api.testMoney.fillAccount({ params: { page_id: pageIn(url) }, body: { action: 'complete' } });
  await toppedUp(ben, 5_000);
  for (let n = 0; n < 4; n += 1) await ran(play, 'harbour', 'echo', { text: `paid ${n}` }, ['succeeded'], ben);
  await settled(play);
  await restricted(play);
  await takenBack(ben);
  await lost(play);
  await toppedUp(ben, 5_000);
  await subscribed(play);
  await ada.api.billing.checkout({ body: { plan: 'crew' } });
  await bounties(play);
}

async function toppedUp({ api }: Person, amount_cents: number): Promise<string> {
  const { url, top_up_id } = await api.credits.checkout({ body: { amount_cents } });
  await api.testMoney.finishCheckout({ params: { page_id: pageIn(url) }, body: { action: 'pay' } });
  await eventually('credits', async () => {
    const { items } = await api.credits.topUps({ query: { limit: 200 } });
    return items.find((one) => one.top_up_id === top_up_id)?.paid_at ?? undefined;
  });
  return top_up_id;
}

/** Runs until one pays: what was earned a moment ago may not be counted yet. */
async function settled({ people: { ada, operator } }: Play): Promise<void> {
  let runs = 0;
  const paid = async () => {
    await operator.api.payoutsAdmin.settle({ body: { key: `fixture-${(runs += 1)}` } });
    return (await ada.api.payouts.runs({ query: {} })).items.find(({ state }) => state === 'ended');
  };
  await eventually('a payout', paid, { everyMs: 5_000 });
}

/** The processor stops paying the account for a while. */
async function restricted({ people: { ada } }: Play): Promise<void> {
  const { url } = await ada.api.payouts.openAccount({ body: {} });
  const params = { page_id: pageIn(url) };
  await ada.api.testMoney.fillAccount({ params, body: { action: 'restrict' } });
  await eventually('the account to be restricted', async () => when(true, !(await ada.api.payouts.account()).payouts_enabled));
  await ada.api.testMoney.fillAccount({ params, body: { action: 'complete' } });
}

/** The payer's bank asks for a payment back. */
async function takenBack({ api }: Person): Promise<void> {
  const { url } = await api.billing.portal();
  const params = { page_id: pageIn(url) };
  const { payments } = await api.testMoney.portal({ params });
  const payment = payments.find(({ refunded_cents }) => refunded_cents === 0);
  if (!payment) throw new Error('the portal shows no payment');
  await api.testMoney.usePortal({ params, body: { action: 'take_back', payment_id: payment.payment_id, how: 'refund' } });
}

/** A payment that was spent to the last cent is taken back: what is missing is the platform's loss. */
async function lost(play: Play): Promise<void> {
  const { ada, operator } = play.people;
  await ada.api.prices.put({ params: { name: 'harbour', skill: 'fragile' }, body: { call_micros: 5_000_000 } });
  await toppedUp(operator, 500);
  await ran(play, 'harbour', 'fragile', { text: 'all of it' }, ['succeeded'], operator);
  await takenBack(operator);
  // It is read with the next payment.
  await toppedUp(operator, 500);
}

async function subscribed({ people: { ben, operator } }: Play): Promise<void> {
  const { plans } = operator.api;
  const { items } = await plans.list();
  const body = { name: 'Crew', description: 'For crews.', price_cents: 100, max_seats: 5, included_micros: 1_000_000, limits: {}, position: 9, offered: true };
  await plans.put({ params: { plan: 'crew' }, body: { ...body, version: items.find(({ plan }) => plan === 'crew')?.version ?? 0 } });
  const { url } = await ben.api.billing.checkout({ body: { plan: 'crew' } });
  await ben.api.testMoney.finishCheckout({ params: { page_id: pageIn(url) }, body: { action: 'pay' } });
  await eventually('a subscription', async () => when(true, JSON.stringify(await ben.api.billing.get()).includes('crew')));
  await operator.api.admin.putBillingOverride({
    params: { user_id: ben.userId },
    body: { funded_calls_per_agent: 5, expires_at: null, reason: 'A trial', version: 0 },
  });
}

async function bounties({ people: { ada, ben } }: Play): Promise<void> {
  const words = { description: 'From photos.', tags: ['charts'] };
  const paid = await ben.api.bounties.post({ body: { title: 'Read charts', ...words, reward_micros: 1_000_000 } });
  await ada.api.bounties.claim({ params: { slug: paid.slug }, body: { agent: 'harbour' } });
  await ben.api.bounties.post({ body: { title: 'Read old charts', ...words } });
}
