// Money: accounts that are not the agents' owner pay in, call skills that have a price, and take some of it
// back; what the owner earned is paid out, and some of that comes back too. What each came to is looked at in
// the tables: our books, the creator's lines, and what the payment processor for test money has.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { type Installation, ok } from '../e2e/installation.ts';
import { tokenAt } from './signed-in.ts';
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import type { Chance } from './random.ts';
import { eventually, rows, unless } from './ways-in.ts';
import type { World } from './world.ts';

const SKILL = 'echo';
/** Of a call: a price that no cent divides, so that rounding and carried cents come up. */
const PRICE = { call_micros: 1_234_567, second_micros: 0, token_micros: 0, artifact_micros: 0, free_calls: 0 };
const FEE_LEFT = 0.5;

interface Person {
  api: Client<Contract>;
}

export interface Money {
  payers: readonly [Person, ...Person[]];
  operator: Person;
}

interface Around {
  i: Installation;
  agents: readonly string[];
  /** The agents' owner. */
  owner: Client<Contract>;
  ownerToken: string;
  sql(text: string): Promise<unknown>;
}

/**
 * Other people of this machine pay; the agents' owner becomes a creator who can be paid, at once and whatever
 * they are owed.
 */
export async function openMoney({ i, agents, owner, ownerToken, sql }: Around): Promise<Money> {
  await sql(
    `insert into platform_settings (key, value) values ('payout_hold_days', 0), ('payout_minimum_cents', 1) on conflict (key) do update set value = excluded.value`,
  );
  await sql(
    `insert into idp_accounts (account_id, email, name, password_hash, operator, email_verified)
     select gen_random_uuid(), 'payer-' || n || '@svc.local', 'Payer ' || n, password_hash, false, true
     from idp_accounts, generate_series(1, 2) n where email = 'ben@svc.local' on conflict do nothing`,
  );
  const { prices, testMoney } = createClient({ baseUrl: i.baseUrl, token: ownerToken });
  // Strangers call what is public alone.
  for (const name of agents) await until('publish', () => owner.agents.setVisibility({ params: { name }, body: { visibility: 'public' } }));
  for (const name of agents) await until('set a price', () => prices.put({ params: { name, skill: SKILL }, body: PRICE }));
  const { url } = await until('open a payout account', () => owner.payouts.openAccount({ body: {} }));
  await until('fill in a payout account', () => testMoney.fillAccount({ params: { page_id: pageIn(url) }, body: { action: 'complete' } }));
  const signIn = async (email: string): Promise<Person> => {
    const home = join(i.home, '..', email);
    await mkdir(home, { recursive: true, mode: 0o700 });
    ok(await i.svcAs(home, 'login', '--local', email));
    const as = { baseUrl: i.baseUrl, token: await tokenAt(i, home) };
    return { api: createClient(as) };
  };
  const payers = [await signIn('ben@svc.local'), await signIn('payer-1@svc.local'), await signIn('payer-2@svc.local')] as const;
  return { payers, operator: await signIn('operator@svc.local') };
}

/** The last part of a page's address, without what is asked with it. */
const pageIn = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

export async function paid(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const payer = chance.pick(world.money.payers);
  const topUp = await toppedUp(payer, chance.between(5, 20) * 100);
  const calls = Array.from({ length: chance.between(2, 5) }, (_, n) => called(payer, outcome, n));
  const how = chance.pick(['keep', 'refund', 'dispute', 'won', 'lost'] as const);
  const taking = how === 'keep' ? Promise.resolve() : takenBack(world, payer, topUp, how);
  const ends = await Promise.all(calls);
  await taking;
  const other = ends.find((end) => end !== 'succeeded' && end !== 'unpaid');
  outcome.state = other === undefined ? 'settled' : `call ${other}`;
  await paidOut(world, outcome);
  if (chance.number() < 0.4) await cameBack(world, chance);
}

/** Its id. A checkout whose address was lost is never paid. */
async function toppedUp({ api }: Person, amount_cents: number): Promise<string> {
  const { url, top_up_id } = await until('begin to pay', () => api.credits.checkout({ body: { amount_cents } }));
  await until('pay', () => api.testMoney.finishCheckout({ params: { page_id: pageIn(url) }, body: { action: 'pay' } }));
  await eventually('credits', async () =>
    (await api.credits.topUps({ query: { limit: 200 } })).items.find((one) => one.top_up_id === top_up_id)?.paid_at === null ? undefined : true,
  );
  return top_up_id;
}

/** `unpaid`: what it paid in was taken back before. */
async function called({ api }: Person, { token, agent }: Outcome, n: number): Promise<string> {
  const params = { name: agent, skill_name: SKILL };
  const start = () => api.agents.startRun({ params, headers: { 'idempotency-key': `${token}:${n}` }, body: { text: `${token} ${n}`, count: 5 } });
  const started = await until('start a call', () => unless(402, start));
  if (!started) return 'unpaid';
  return eventually('the end of a call', async () => {
    const run: unknown = await (await api.agents.run({ params: { name: agent, run_id: started.run_id } })).json();
    const state = typeof run === 'object' && run !== null && 'state' in run ? String(run.state) : '';
    return ['succeeded', 'failed', 'cancelled'].includes(state) ? state : undefined;
  });
}

/** What the payer's bank does. 404: an answer was lost, and nothing is left to take. */
async function takenBack(world: World, { api }: Person, topUp: string, how: 'refund' | 'dispute' | 'won' | 'lost'): Promise<void> {
  const [row] = await rows<{ payment_id: string }>(world, 'select payment_id from top_ups where top_up_id = $1', [topUp]);
  const { url } = await until('open the page of a payer', () => api.billing.portal());
  const params = { page_id: pageIn(url) };
  const act = (as: 'refund' | 'dispute' | 'dispute_won' | 'dispute_lost') =>
    until(as, () => unless(404, () => api.testMoney.usePortal({ params, body: { action: 'take_back', payment_id: row?.payment_id ?? '', how: as } })));
  await act(how === 'refund' ? 'refund' : 'dispute');
  if (how === 'won' || how === 'lost') await act(`dispute_${how}`);
}

/** A run pays what is due by now, once for its key. 409: another one is under way. */
async function paidOut(world: World, outcome: Outcome): Promise<void> {
  const { payoutsAdmin } = world.money.operator.api;
  await eventually('what was earned to be due', async () => {
    const [row] = await rows<{ left: number }>(world, `select count(*)::int as left from payout_lines where state in ('accrued', 'held')`, []);
    return row?.left === 0 ? true : undefined;
  });
  const settle = () => unless(409, () => payoutsAdmin.settle({ body: { key: outcome.token } }));
  const { run_id } = await eventually('a payout run', settle);
  const again = await eventually('the same payout run', settle);
  if (again.run_id !== run_id) outcome.faults.push(`the same key began two payout runs: ${run_id}, ${again.run_id}`);
  await eventually('the end of a payout run', async () => {
    const [row] = await rows<{ state: string }>(world, 'select state from payout_runs where run_id = $1', [run_id]);
    return row?.state === 'ended' ? true : undefined;
  });
}

/** The processor takes a part of a transfer back. 404: nothing of it is left. */
async function cameBack(world: World, chance: Chance): Promise<void> {
  const sent = await rows<{ id: string; account: string; left: number }>(
    world,
    `select object_id as id, data->>'destination' as account, ((data->>'cents')::int - (data->>'reversedCents')::int) as left from test_money_objects
     where kind = 'transfer' order by object_id`,
    [],
  );
  const open = sent.filter(({ left }) => left > 1);
  if (open.length === 0) return;
  const { id, account, left } = chance.pick(open as [(typeof open)[number], ...typeof open]);
  const { testMoney } = createClient({ baseUrl: world.i.baseUrl, token: world.token });
  const body = { action: 'take_back' as const, transfer_id: id, cents: Math.max(1, Math.floor(left * FEE_LEFT)) };
  await until('take a transfer back', () => unless(404, () => testMoney.fillAccount({ params: { page_id: account }, body })));
}

/** What may be under way for a moment more, by what it would be. */
export const moneyLeftovers = `
  select 'charges that are held' as what, count(*)::int as n from charges where state = 'held'
  union all select 'holds that are open', count(*)::int from ledger_holds where state = 'open'
  union all select 'payout runs under way', count(*)::int from payout_runs where state = 'running'
  union all select 'events of the processor that were not taken', count(*)::int from test_money_events where next_at is not null
  union all select 'money of wallets that was not read', count(*)::int from ledger_accounts a left join payout_places p using (account_id)
    where a.kind = 'wallet' and a.version > coalesce(p.version, 0)`;
