// What the kill test asks of money holds where all went well, and each question finds what it is for: one row
// is changed around the books, and it shows.
import { createServer } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { forgetSettings } from '#core/kernel/settings.ts';
import { checkOutCredits } from '#core/money/credits/check-out.ts';
import { openPayoutAccount } from '#core/money/payout/account/open.ts';
import { advancePayouts } from '#core/money/payout/advance.ts';
import { endPayoutRun, payNext } from '#core/money/payout/run/next.ts';
import { takeDue } from '#core/money/payout/run/take.ts';
import { setPrice } from '#core/money/price/set.ts';
import { deliverTestEvents } from '#core/money/test-money/deliver.ts';
import { invokeSkill } from '#test/support/calls.ts';
import type { TestMoney } from '#drivers/payments/test-money.ts';
import { socketOf } from '../support/agent-socket.ts';
import { testContext, type TestContext, type TestUser } from '../support/context.ts';
import { liveAgent } from '../support/runs.ts';
import { moneyQueries } from './money-queries.ts';

let t: TestContext;
const agent = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end('{"greeting":"hello"}');
});
beforeAll(async () => {
  t = await testContext();
  await t.ctx.db('platform_settings').insert([{ key: 'payout_minimum_cents', value: 1 }, { key: 'payout_hold_days', value: 0 }]); // prettier-ignore
  forgetSettings(t.ctx.db);
  await history();
});
afterAll(async () => {
  agent.closeAllConnections();
  agent.close();
  await t.close();
});

function pages(): TestMoney {
  const { payments } = t.ctx.drivers;
  if (!payments?.testPages) throw new Error('there is no test money');
  return payments.testPages;
}

async function history(): Promise<void> {
  const [payer, owner] = [await t.user('payer'), await t.user('owner')];
  const skills = [{ id: 'priced', name: 'priced', input_schema: {}, output_schema: {} }];
  const callee = await liveAgent(t.ctx, owner.actor.user_id, { visibility: 'public', card: { skills } });
  const price = { call_micros: 1_234_567, second_micros: 0, token_micros: 0, artifact_micros: 0, free_calls: 0 };
  await setPrice(owner, { name: callee.name, skill: 'priced', price });
  const path = socketOf(t.ctx.drivers.runtime.address(callee.instanceId));
  await mkdir(dirname(path), { recursive: true });
  await new Promise<void>((resolve) => agent.listen(path, resolve));
  const [first, second] = [await toppedUp(payer), await toppedUp(payer)];
  for (let n = 0; n < 6; n += 1) {
    const call = { name: callee.name, skill_name: 'priced', args: {}, accept: 'application/json', signal: new AbortController().signal };
    expect(await invokeSkill(payer, call)).toMatchObject({ status: 200 });
  }
  const { url } = await openPayoutAccount(owner, {});
  const account = new URL(url).pathname.split('/').at(-1) ?? '';
  await pages().fillAccount(account, 'complete');
  await deliver();
  await settle();
  await takeBack(first, 'refund');
  await takeBack(second, 'dispute');
  const [sent] = (await pages().accountPage(account)).transfers;
  await pages().takeBackTransfer(account, sent?.id ?? '', 100);
  await deliver();
  await settle();
}

async function toppedUp(payer: TestUser): Promise<string> {
  const { url, top_up_id } = await checkOutCredits({ ...payer, requestId: newId('req') }, { amount_cents: 500 });
  await pages().finishCheckout(new URL(url).pathname.split('/').at(-1) ?? '', 'pay');
  await deliver();
  return top_up_id;
}

async function takeBack(topUp: string, how: 'refund' | 'dispute'): Promise<void> {
  const row = await t.ctx.db('top_ups').where({ top_up_id: topUp }).first();
  const { payments } = t.ctx.drivers;
  const payment = await payments?.payment(row?.payment_id ?? '');
  const portal = await payments?.portal({ customerId: payment?.customerId ?? '', returnUrl: 'http://localhost', key: topUp });
  await pages().takeBack(portal?.url.split('/').at(-1) ?? '', payment?.id ?? '', how);
}

const deliver = () => deliverTestEvents({ ...t.ctx, actor: { kind: 'anonymous' } });

async function settle(): Promise<void> {
  await advancePayouts(t.ctx);
  await advancePayouts(t.ctx);
  const run_id = newId('por');
  await t.ctx.db('payout_runs').insert({ run_id, key: run_id, state: 'running', created_at: new Date() });
  while (await takeDue(t.ctx, run_id));
  while (await payNext(t.ctx, run_id));
  await endPayoutRun(t.ctx, run_id);
}

const wallet = `(select account_id from ledger_accounts where kind = 'wallet' order by version desc limit 1)`;
const charge = `(select charge_id from charges where state = 'settled' order by charge_id limit 1)`;
const copied = (table: string, changes: string, where: string): string =>
  `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object(${changes}))).* from ${table} x where ${where}`;

/** What is done around the books, by the question that must find it. */
const FAULTS: Record<string, string> = {
  'transactions that do not sum to zero': `update ledger_entries set amount_micros = amount_micros + 1 where account_id = ${wallet} and version = 1`,
  'accounts whose entries have a gap': `delete from ledger_entries where account_id = ${wallet} and version = 2`,
  'accounts with another balance than their entries': `update ledger_accounts set balance_micros = balance_micros + 1 where account_id = ${wallet}`,
  'accounts with another hold than their holds': `update ledger_accounts set held_micros = held_micros + 1 where account_id = ${wallet}`,
  'wallets below zero': `update ledger_accounts set may_overdraw = true, balance_micros = -1 where account_id = ${wallet}`,
  'losses that are not what wallets owe': `update ledger_accounts set owed_micros = owed_micros + 1 where account_id = ${wallet}`,
  'holds that are open of calls that have ended': `update ledger_holds set state = 'open', ended_at = null where key = (select min(key) from ledger_holds)`,
  'charges that are held of calls that have ended': `update charges set state = 'held', ended_at = null where charge_id = ${charge}`,
  'calls that were charged twice': `update charges set run_id = (select run_id from charges where charge_id = ${charge})`,
  'charges that were not posted once': `delete from ledger_transactions where kind = 'charge' and refs->>'charge_id' = ${charge}`,
  'charges that are another amount in the books': `update charges set amount_micros = amount_micros + 1 where charge_id = ${charge}`,
  'charges that their receipt does not say': `update receipts set payload = payload - 'charge' where receipt_id = (select receipt_id from charges where charge_id = ${charge})`,
  'calls with a price that went well and cost nothing': `update charges set amount_micros = 0 where charge_id = ${charge}`,
  'top-ups that are not what the processor has': `update top_ups set taken_micros = taken_micros - 1 where taken_micros > 0`,
  'money from outside that is not what was paid in and kept': `update ledger_accounts set balance_micros = balance_micros - 1 where kind = 'funding'`,
  'payouts that the processor does not have as we do': `update test_money_objects set data = jsonb_set(data, '{reversedCents}', '7') where kind = 'transfer'`,
  'transfers at the processor that no payout is of': `update test_money_objects set data = jsonb_set(data, '{reference}', '"pot_other"') where kind = 'transfer'`,
  'payouts that were sent twice': copied('test_money_objects', `'object_id', 'ttrf_again'`, `kind = 'transfer'`),
  'payouts that were not posted once': copied('ledger_transactions', `'transaction_id', 'ltx_again', 'key', 'payout again'`, `kind = 'payout'`),
  'payouts whose lines are not what was sent': `update payout_lines set amount_micros = amount_micros + 1 where line_id = (select min(line_id) from payout_lines where state = 'paid')`,
  'payouts without a statement': `update payout_transfers set statement = null, root_sha256 = null`,
  'lines in a run that is over': `update payout_lines set state = 'in_run' where state = 'paid'`,
  'runs that are over with a payout that is not': `update payout_transfers set state = 'pending', ended_at = null, reversed_micros = 0`,
  'what came back and is not owed again once': `delete from payout_lines where kind = 'returned'`,
  'charges that earned another amount than the share of what was received': `update payout_lines set amount_micros = amount_micros + 1 where kind = 'receipt' and state <> 'cancelled'`,
  'creators of whom made is not sent and due': copied(
    'payout_lines',
    `'line_id', 'pol_again', 'charge_id', null, 'kind', 'carry', 'state', 'owed'`,
    `line_id = (select min(line_id) from payout_lines where kind = 'receipt' and state = 'paid')`,
  ),
  'payouts in the books that are not what was sent': `update ledger_accounts set balance_micros = balance_micros + 10000 where kind = 'payouts'`,
  'creators who are owed more than their account has': `update payout_lines set amount_micros = 999999999999 where state = 'owed'`,
};

test('all went well, and money came back on both sides', async () => {
  for (const [what, sql] of Object.entries(moneyQueries)) expect((await t.ctx.db.raw(sql)).rows, what).toEqual([]);
  const { db } = t.ctx;
  expect(await db('ledger_accounts').where('owed_micros', '>', 0)).toHaveLength(1);
  expect(await db('payout_lines').where({ kind: 'returned' })).toHaveLength(1);
  expect(await db('payout_lines').where({ kind: 'adjustment' }).whereNot({ amount_micros: 0 })).not.toEqual([]);
});

test('there is a fault for each question', () => expect(Object.keys(FAULTS).toSorted()).toEqual(Object.keys(moneyQueries).toSorted()));

test.each(Object.entries(FAULTS))('found: %s', async (what, fault) => {
  const undone = new Error('undone');
  await t.ctx.db
    .transaction(async (tx) => {
      await tx.raw('set local session_replication_role = replica');
      const checks = `select conrelid::regclass::text as of, conname as name from pg_constraint where contype in ('c', 'u', 'f') and conrelid::regclass::text in
        ('charges', 'ledger_accounts', 'ledger_entries', 'ledger_transactions', 'payout_lines', 'payout_transfers', 'test_money_objects', 'top_ups')`;
      for (const { of, name } of (await tx.raw(checks)).rows) await tx.raw('alter table ?? drop constraint ?? cascade', [of, name]);
      await tx.raw(fault);
      expect((await tx.raw(moneyQueries[what] ?? '')).rows).not.toEqual([]);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
});
