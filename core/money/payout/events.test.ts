// What the processor says of payouts that were sent, by a server that behaves as Stripe: signed events, in
// any order, doubled, of things that are not ours.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkStatement } from '#contract/wire/statement-check.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { openMail } from '#drivers/mail/open.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import { inbox } from '#test/support/mail.ts';
import { addAgent, addUser } from '#test/support/verbs.ts';
import { publicKeyOf } from '../../evidence/receipt/keys.ts';
import { newId } from '../../kernel/ids.ts';
import { forgetSettings } from '../../kernel/settings.ts';
import { verifyAsync } from '@noble/ed25519';
import { auditLedger } from '../ledger/audit-ledger.ts';
import { type ProcessorTest, processorTest } from '../test/processor.ts';
import { getPayoutAccount, openPayoutAccount } from './account/open.ts';
import { accrue } from './accrue/accrue.ts';
import { moveLines } from './advance.ts';
import { earnings } from './earnings.ts';
import { sendNotices } from './notices.ts';
import { listPayoutRuns } from './run/list.ts';
import { endPayoutRun, payNext } from './run/next.ts';
import { takeDue } from './run/take.ts';
import { readStatement } from './statement/read.ts';
import { sha256Bytes } from './statement/sign.ts';
import { charge, fund } from './test/money.ts';

const CREDIT = 1_000_000;
let t: TestContext;
let p: ProcessorTest;
let ada: TestUser;
let account: string;
beforeAll(async () => {
  t = await testContext();
  p = await processorTest(t);
  await t.ctx.db('platform_settings').insert([{ key: 'payout_minimum_cents', value: 1 }, { key: 'payout_hold_days', value: 3 }]); // prettier-ignore
  forgetSettings(t.ctx.db);
});
afterAll(() => Promise.all([t.close(), p.close()]));
beforeEach(async () => {
  ada = { ...p.at(await t.user('ada')), requestId: newId('req') };
  await openPayoutAccount(ada, {});
  account = (await row()).processor_id ?? '';
  p.server.fillAccount(account);
  await p.server.events.deliver(p.post);
});

async function row() {
  const found = await t.ctx.db('payout_accounts').where({ user_id: ada.actor.user_id }).first();
  if (!found) throw new Error('there is no account');
  return found;
}
const deliver = (copies = 3) => p.server.events.deliver(p.post, { copies });
const sums = async () => {
  const { made_micros, paid_micros, held_micros, owed_micros } = await earnings(ada);
  return { made: made_micros / CREDIT, paid: paid_micros / CREDIT, held: held_micros / CREDIT, owed: owed_micros / CREDIT };
};

/** Ten credits of received money. */
async function earn(): Promise<void> {
  const payer = await addUser(t.ctx.db, 'payer');
  await fund(t.ctx, 'top_up', payer, 10 * CREDIT);
  await charge(t.ctx, { payer, creator: ada.actor.user_id, agent: await addAgent(t.ctx.db, ada.actor.user_id), micros: 10 * CREDIT, share: 10 * CREDIT });
}

async function due(): Promise<void> {
  await accrue(p.at(t.ctx));
  await moveLines(p.at(t.ctx));
  await t.ctx
    .db('payout_lines')
    .where({ creator_id: ada.actor.user_id, state: 'held' })
    .update({ hold_until: new Date(p.server.now) });
  await moveLines(p.at(t.ctx));
}

/** A run of this creator alone. Its id, and the transfer's at the processor. */
async function settle(): Promise<{ run_id: string; transfer: string; transfer_id: string }> {
  const run_id = newId('por');
  await t.ctx.db('payout_runs').insert({ run_id, key: run_id, state: 'running', creator_id: ada.actor.user_id, created_at: new Date() });
  while (await takeDue(p.at(t.ctx), run_id));
  while (await payNext(p.at(t.ctx), run_id));
  await endPayoutRun(p.at(t.ctx), run_id);
  const made = await t.ctx.db('payout_transfers').where({ run_id }).first();
  return { run_id, transfer: made?.processor_id ?? '', transfer_id: made?.transfer_id ?? '' };
}

const entriesOf = async (key: string) => t.ctx.db('ledger_transactions').whereLike('key', `${key}:%`).count('* as count').first(); // prettier-ignore

describe('a transfer that is taken back', () => {
  test('is owed again by as much as came back, once, held for the days of a call, and paid by a later run with a line of its own', async () => {
    await earn();
    await due();
    const first = await settle();
    expect(await sums()).toEqual({ made: 10, paid: 10, held: 0, owed: 0 });
    p.server.reverseTransfer(first.transfer, 300);
    await deliver();
    expect(await sums()).toEqual({ made: 10, paid: 7, held: 3, owed: 0 });
    p.server.reverseTransfer(first.transfer);
    await deliver();
    expect(await sums()).toEqual({ made: 10, paid: 0, held: 10, owed: 0 });
    await moveLines(p.at(t.ctx));
    expect(await sums()).toMatchObject({ held: 10 });
    p.server.now += 3 * 86_400_000;
    await moveLines(p.at(t.ctx));
    expect(await sums()).toMatchObject({ held: 0, owed: 10 });
    const second = await settle();
    expect(await sums()).toEqual({ made: 10, paid: 10, held: 0, owed: 0 });
    expect(p.server.state.get('transfer', second.transfer)).toMatchObject({ amount: 1_000, amount_reversed: 0 });
    const { items } = await listPayoutRuns(ada, { limit: 10 });
    expect(items.map(({ amount_micros, reversed_micros }) => [amount_micros / CREDIT, reversed_micros / CREDIT])).toEqual([[10, 0], [10, 10]]); // prettier-ignore
    expect(await entriesOf(`payout_return:${first.transfer_id}`)).toEqual({ count: 2 });

    // What was signed of the first run stays; the second one names it.
    for (const [run, kinds] of [
      [first, ['receipt']],
      [second, ['returned', 'returned']],
    ] as const) {
      const texts: string[] = [];
      for await (const part of await readStatement(ada, { run_id: run.run_id })) texts.push(JSON.stringify(part));
      const found = texts.map((text): { kind?: string; of_transfer_id?: string } => JSON.parse(text)).slice(1);
      expect(found.map(({ kind }) => kind)).toEqual(kinds);
      expect(found.map(({ of_transfer_id }) => of_transfer_id)).toEqual(kinds.map((kind) => (kind === 'returned' ? first.transfer_id : undefined)));
      const keys = await t.ctx.db('receipt_keys');
      const keyOf = (kid: string) => {
        const key = keys.find((one) => one.kid === kid);
        return key && { bytes: publicKeyOf(key) };
      };
      const verify = (signature: Uint8Array, bytes: Uint8Array, key: Uint8Array) => verifyAsync(signature, bytes, key, { zip215: false });
      expect((await checkStatement(texts, { hash: sha256Bytes, verify, keyOf })).faults).toEqual([]);
    }
  });

  test('comes to the same in any order and a hundred times, also when the reads overtake one another', async () => {
    await earn();
    await due();
    p.server.events.made.splice(0);
    const { transfer, transfer_id } = await settle();
    for (const cents of [100, 50, 1, 249]) p.server.reverseTransfer(transfer, cents);
    await Promise.all(p.server.events.made.map(async (event) => {
      const { raw, signature } = p.server.events.signed(event);
      for (let status = 0; status !== 200; ) status = await p.post(raw, signature);
    })); // prettier-ignore
    expect(await sums()).toEqual({ made: 10, paid: 6, held: 4, owed: 0 });
    const before = await t.ctx.db('ledger_entries').count('* as count').first();
    for (let round = 0; round < 100; round += 1) {
      if (round % 10 === 0) await t.ctx.db('processor_events').whereIn('event_id', p.server.events.made.map(({ id }) => id)).delete(); // prettier-ignore
      p.server.events.replayAll();
      await deliver(2);
    }
    expect(await sums()).toEqual({ made: 10, paid: 6, held: 4, owed: 0 });
    expect(await t.ctx.db('ledger_entries').count('* as count').first()).toEqual(before);
    expect(await t.ctx.db('payout_lines').where({ of_transfer_id: transfer_id }).sum('amount_micros as sum').first()).toEqual({ sum: String(4 * CREDIT) });
  });

  test('whose answer was lost is paid when its event comes, and what came back of it is owed', async () => {
    await earn();
    await due();
    const run_id = newId('por');
    await t.ctx.db('payout_runs').insert({ run_id, key: run_id, state: 'running', creator_id: ada.actor.user_id, created_at: new Date() });
    while (await takeDue(p.at(t.ctx), run_id));
    const pending = await t.ctx.db('payout_transfers').where({ run_id }).first();
    const request = { destination: account, cents: 1_000, group: run_id, reference: pending?.transfer_id ?? '', key: pending?.transfer_id ?? '' };
    const { id } = (await p.at(t.ctx).drivers.payments?.transfer(request)) ?? { id: '' };
    p.server.reverseTransfer(id, 400);
    await deliver();
    expect(await sums()).toEqual({ made: 10, paid: 6, held: 4, owed: 0 });
    while (await payNext(p.at(t.ctx), run_id));
    await endPayoutRun(p.at(t.ctx), run_id);
    expect(await sums()).toEqual({ made: 10, paid: 6, held: 4, owed: 0 });
    expect((await listPayoutRuns(ada, { limit: 1 })).items).toMatchObject([{ transfer: 'paid', has_statement: true }]);
  });

  test('that is none of ours, or not the one we made, moves nothing; one that was given up is shown to operators', async () => {
    await earn();
    await due();
    const { transfer, transfer_id, run_id } = await settle();
    const { payments } = p.at(t.ctx).drivers;
    const foreign = { destination: account, cents: 1_000, group: run_id, reference: 'pot_unknown', key: newId('pot') };
    const other = await payments?.transfer(foreign);
    const twice = await payments?.transfer({ ...foreign, reference: transfer_id, key: newId('pot') });
    const smaller = await payments?.transfer({ ...foreign, cents: 5, reference: transfer_id, key: newId('pot') });
    for (const one of [other, twice, smaller]) p.server.reverseTransfer(one?.id ?? '', 1);
    p.server.events.add('transfer.reversed', { object: 'transfer', id: 'tr_of_somebody' }, { account: 'acct_other' });
    await deliver();
    expect(await sums()).toEqual({ made: 10, paid: 10, held: 0, owed: 0 });
    const strays = await t.ctx.db('audit_log').where({ action: 'payout.stray', target_id: transfer_id });
    expect(new Set(strays.map(({ details }) => Object(details).processor_id))).toEqual(new Set([twice?.id, smaller?.id]));
    expect(p.server.state.get('transfer', transfer)).toMatchObject({ amount_reversed: 0 });
  });

  test('does not pay what its payer took back meanwhile: the correction is counted against it', async () => {
    await earn();
    await due();
    const { transfer } = await settle();
    const line = await t.ctx.db('payout_lines').where({ creator_id: ada.actor.user_id, kind: 'receipt' }).first();
    const place = { account_id: line?.account_id ?? '', version: line?.spend_version ?? 0 };
    await t.ctx
      .db('payout_spends')
      .where(place)
      .update({ changed: true, received_micros: 4 * CREDIT });
    const { writeLines } = await import('./accrue/lines.ts');
    await t.ctx.db.transaction((tx) => writeLines(tx, place.account_id, new Date(p.server.now)));
    expect(await sums()).toEqual({ made: 4, paid: 10, held: 0, owed: -6 });
    p.server.reverseTransfer(transfer);
    await deliver();
    expect(await sums()).toEqual({ made: 4, paid: 0, held: 10, owed: -6 });
    p.server.now += 3 * 86_400_000;
    await moveLines(p.at(t.ctx));
    const second = await settle();
    expect(p.server.state.get('transfer', second.transfer).amount).toBe(400);
    expect(await sums()).toEqual({ made: 4, paid: 4, held: 0, owed: 0 });
  });
});

describe('a bank', () => {
  test('that refuses moves nothing here: the creator sees why, also after it seemed to take it, until a later payout is there', async () => {
    await earn();
    await due();
    await settle();
    const first = p.server.payOut(account, 1_000);
    p.server.endPayout(first, 'paid');
    p.server.endPayout(first, 'failed');
    await deliver();
    expect(await sums()).toEqual({ made: 10, paid: 10, held: 0, owed: 0 });
    expect(await getPayoutAccount(ada)).toMatchObject({ state: 'ready', bank_payout: { state: 'failed', amount: 1_000, currency: 'usd', failure: { code: 'account_closed' } } }); // prettier-ignore
    p.server.now += 60_000;
    p.server.endPayout(p.server.payOut(account, 1_000), 'paid');
    p.server.events.replayAll();
    await deliver();
    expect(await row()).toMatchObject({ bank_state: 'paid', bank_failure: null });
    expect(await t.ctx.db('payout_notices').where({ user_id: ada.actor.user_id }).select('kind', 'subject')).toEqual([
      { kind: 'bank_refused', subject: first },
    ]);
  });
});

describe('an account that is restricted', () => {
  test('is paid nothing: what is due waits, what a run had taken is refused and waits, until it is ready again', async () => {
    await earn();
    await due();
    p.server.restrictAccount(account);
    const refused = await settle();
    expect((await listPayoutRuns(ada, { limit: 1 })).items).toMatchObject([{ run_id: refused.run_id, transfer: 'failed', error: { code: 'insufficient_capabilities_for_transfer' } }]); // prettier-ignore
    await deliver();
    expect(await getPayoutAccount(ada)).toMatchObject({ payouts_enabled: false, disabled_reason: 'requirements.past_due', requirements: ['individual.verification.document'] }); // prettier-ignore
    await settle();
    expect(p.server.state.all('transfer').filter(({ destination }) => destination === account)).toEqual([]);
    expect(await sums()).toEqual({ made: 10, paid: 0, held: 0, owed: 10 });
    p.server.fillAccount(account);
    await deliver();
    await settle();
    expect(await sums()).toEqual({ made: 10, paid: 10, held: 0, owed: 0 });
  });

  test('a read that was overtaken by another write is read again', async () => {
    const { payments } = p.at(t.ctx).drivers;
    if (!payments) throw new Error('there is a processor');
    const { followPayoutAccount } = await import('./account/refresh.ts');
    const old = await followPayoutAccount(p.at(t.ctx), payments, account);
    p.server.restrictAccount(account);
    await deliver(1);
    expect(await t.ctx.db.transaction((tx) => old?.write({ ...p.at(t.ctx), db: tx }))).toBe(false);
    expect(await row()).toMatchObject({ payouts_enabled: false });
  });
});

test('mails tell the creator of each, once, in words of their own', async () => {
  const server = await inbox();
  const mail = openMail({ domain: 'svc.test', hostname: 'svc.test', selector: 'svc', relay: `smtp://127.0.0.1:${server.port}?ignoreTLS=true`, arcSealers: [] });
  await earn();
  await due();
  const { transfer, run_id } = await settle();
  p.server.reverseTransfer(transfer, 250);
  p.server.endPayout(p.server.payOut(account, 750), 'failed');
  p.server.restrictAccount(account);
  await deliver();
  const ctx = { ...p.at(t.ctx), drivers: { ...p.at(t.ctx).drivers, mail } };
  server.answer = 451;
  await sendNotices(ctx);
  server.answer = 250;
  p.server.now += 400_000;
  await Promise.all([sendNotices(ctx), sendNotices(ctx)]);
  await sendNotices(ctx);
  const mine = await Promise.all(server.mails.filter(({ to }) => to.includes(ada.actor.email)).map(({ raw }) => parseMail(raw)));
  await server.close();
  expect(mine.map((one) => one?.subject).toSorted()).toEqual(['A payout came back', 'Your bank refused a payout', 'Your payout account is restricted']);
  const text = mine.map((one) => one?.text).join('\n');
  for (const said of [run_id, '$2.50', '$7.50', 'The bank account has been closed', 'requirements.past_due', 'individual.verification.document', '/payouts'])
    expect(text).toContain(said);
});

test('the books add up after all of it', async () => {
  expect(await auditLedger(t.ctx)).toEqual([]);
  const { rows } = await t.ctx.db.raw(`select coalesce(sum(balance_micros), 0)::bigint as sum from ledger_accounts where kind = 'payouts'`);
  const sent = await t.ctx.db('payout_transfers').where({ state: 'paid' }).sum({ sum: t.ctx.db.raw('amount_micros - reversed_micros') }).first(); // prettier-ignore
  expect(rows[0].sum).toBe(Number(Object(sent).sum));
});
