// Payouts over HTTP: what a creator sees, what an operator does, and who may not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { StatementPart } from '#contract/wire/statement.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import { decodeReceipt } from '#contract/wire/receipt.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

const CREDIT = 1_000_000;
let world: World;
let runId: string;
beforeAll(async () => {
  world = await createWorld();
  runId = world.records['payouts.statement.run_id'] ?? '';
});
afterAll(() => world.close());

const beside = (who: 'ada' | 'ben') => createClient({ baseUrl: world.url, token: world.tokens[who] }).payouts;

verifies('payouts.earnings', 'made, paid, held and owed, over all agents of the account', async () => {
  const found = await world.as('ada').payouts.earnings();
  expect(found).toMatchObject({ made_micros: 40 * CREDIT, paid_micros: 32 * CREDIT, held_micros: 8 * CREDIT, owed_micros: 0, lines: 5, hold_days: 3 });
  expect(found.agents).toMatchObject([{ made_micros: 40 * CREDIT, held_micros: 8 * CREDIT, lines: 5, net_micros: 40 * CREDIT }]);
  expect(found.recent.map(({ state }) => state).toSorted()).toEqual(['held', 'paid', 'paid', 'paid', 'paid']);
  expect(await world.as('ben').payouts.earnings()).toMatchObject({ made_micros: 0, owed_micros: 0, agents: [], recent: [] });
});

verifies('payouts.account', 'says what the processor knows of the account', async () => {
  expect(await world.as('ada').payouts.account()).toMatchObject({ state: 'ready', payouts_enabled: true });
  expect(await world.as('ben').payouts.account()).toMatchObject({ state: 'none', payouts_enabled: false });
});

verifies('payouts.openAccount', 'gives a page of the processor; two requests make one account', async () => {
  const links = await Promise.all([1, 2].map(() => world.as('ben').payouts.openAccount({ body: { country: 'DE' } })));
  for (const link of links) expect(link).toMatchObject({ url: expect.stringMatching(/^https?:/), payouts_enabled: false, state: 'incomplete' });
  expect(await world.ctx.db('payout_accounts').whereLike('processor_id', '%').count('* as count').first()).toEqual({ count: 2 });
});

test('the page of test money makes an account ready, and nobody else opens it', async () => {
  const pages = (who: 'ada' | 'ben') => createClient({ baseUrl: world.url, token: world.tokens[who] }).testMoney;
  const { url } = await world.as('ben').payouts.openAccount({ body: { country: 'DE' } });
  const params = { page_id: new URL(url).pathname.split('/').at(-1) ?? '' };
  for (const open of [() => pages('ada').account({ params }), () => pages('ada').fillAccount({ params, body: { action: 'complete' } })])
    await expect(open()).rejects.toMatchObject({ status: 404, code: 'test_money_not_found' });
  expect(await pages('ben').account({ params })).toMatchObject({ details_submitted: false, payouts_enabled: false, transfers: [] });
  expect(await pages('ben').fillAccount({ params, body: { action: 'complete' } })).toMatchObject({ details_submitted: true, payouts_enabled: true });
  // The event of the processor has arrived.
  expect(await world.as('ben').payouts.account()).toMatchObject({ state: 'ready', payouts_enabled: true });
  const taken = pages('ben').fillAccount({ params, body: { action: 'take_back', transfer_id: 'tr_of_another', cents: 100 } });
  await expect(taken).rejects.toMatchObject({ status: 404, code: 'test_money_not_found' });
  expect(await pages('ben').fillAccount({ params, body: { action: 'restrict' } })).toMatchObject({ payouts_enabled: false });
  expect(await world.as('ben').payouts.account()).toMatchObject({ payouts_enabled: false });
});

verifies('payouts.runs', 'lists the runs that paid the caller, and no others', async () => {
  expect((await world.as('ada').payouts.runs()).items).toMatchObject([{ run_id: runId, transfer: 'paid', amount_micros: 32 * CREDIT, lines: 4, error: null }]);
  expect((await world.as('ben').payouts.runs()).items).toEqual([]);
});

verifies('payouts.metrics', 'what the platform owes everybody, and what it sent', async () => {
  expect(await world.as('ben').payouts.metrics()).toMatchObject({ owed_micros: 0, held_micros: 8 * CREDIT, sent_micros: 32 * CREDIT, runs: 1 });
});

test('a statement and its receipts are for the one who was paid', async () => {
  const lines = async (response: Response): Promise<unknown[]> => (await response.text()).trim().split('\n').map((line): unknown => JSON.parse(line)); // prettier-ignore
  const parts = (await lines(await beside('ada').statement({ params: { run_id: runId } }))).map((line) => StatementPart.parse(line));
  expect(parts.map(({ type }) => type)).toEqual(['statement', 'line', 'line', 'line', 'line']);
  const receipts = await lines(await beside('ada').receipts({ params: { run_id: runId } }));
  const hashes = receipts.map((one) => sha256Hex(decodeReceipt((one as { token: string }).token).bytes));
  expect(parts.flatMap((part) => (part.type === 'line' ? [part.receipt_sha256] : []))).toEqual(hashes);
  for (const route of ['statement', 'receipts'] as const)
    await expect(beside('ben')[route]({ params: { run_id: runId } })).rejects.toMatchObject({ status: 404, code: 'payout_run_not_found' });
});

verifies('payoutsAdmin.metrics', 'the same sums, with runs, and the ledger beside them', async () => {
  const found = await world.as('operator').payoutsAdmin.metrics();
  expect(found).toMatchObject({ sent_micros: 32 * CREDIT, ledger_payouts_micros: 32 * CREDIT, creators_owed: 0, below_zero_micros: 0 });
  expect(found.recent).toMatchObject([{ run_id: runId, state: 'ended', creators: 1, paid: 1, failed: 0, sent_micros: 32 * CREDIT }]);
});

verifies('payoutsAdmin.owed', 'who is owed what', async () => {
  const { items } = await world.as('operator').payoutsAdmin.owed();
  expect(items).toMatchObject([{ owed_micros: 0, held_micros: 8 * CREDIT, payouts_enabled: true, last_error: null }]);
});

verifies('payouts.settle', 'is for operators; the same key is one run, and there is one at a time', async () => {
  const ada = (await world.as('ada').auth.me()).user_id;
  await expect(world.as('ada').payouts.settle({ body: { user_id: ada } })).rejects.toMatchObject({ status: 403, code: 'operator_required' });
  const operator = world.as('operator');
  const first = await operator.payouts.settle({ body: { user_id: ada, key: 'once' } });
  expect(await operator.payouts.settle({ body: { user_id: ada, key: 'once' } })).toEqual(first);
  await expect(operator.payouts.settle({ body: { user_id: ada } })).rejects.toMatchObject({ status: 409, code: 'payout_run_open' });
  await expect(operator.payouts.settle({ body: { user_id: 'usr_nobody' } })).rejects.toMatchObject({ status: 404, code: 'user_not_found' });
});

verifies('payoutsAdmin.settle', 'starts a run for everybody, under a key of its own', async () => {
  const operator = world.as('operator');
  await expect(operator.payoutsAdmin.settle({ body: { key: 'once' } })).rejects.toMatchObject({ status: 409, code: 'payout_key_reused' });
  await world.ctx.db('payout_runs').where({ state: 'running' }).update({ state: 'ended', ended_at: new Date() });
  expect(await operator.payoutsAdmin.settle({ body: {} })).toMatchObject({ run_id: expect.stringMatching(/^por_/), state: 'running' });
});
