// Payout runs on a real Temporal server, a real database and real workers, which die after every step; the
// processor is in memory and breaks off as well.
import { activityInfo } from '@temporalio/activity';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createPayoutActivities } from '#activities/payouts.ts';
import { forgetSettings } from '#core/kernel/settings.ts';
import { auditLedger } from '#core/money/ledger/audit-ledger.ts';
import { accrue } from '#core/money/payout/accrue/accrue.ts';
import { moveLines } from '#core/money/payout/advance.ts';
import { listPayoutRuns } from '#core/money/payout/run/list.ts';
import { startPayouts } from '#core/money/payout/run/start.ts';
import { charge, fund } from '#core/money/payout/test/money.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { testProcessor, type TestProcessor } from '#test/support/processor.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testTemporal } from '#test/support/servers.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { startTestWorkers } from '#test/support/workers.ts';

const within = { timeout: 60_000, interval: 100 };
const CREDIT = 1_000_000;

let t: TestContext;
let operator: TestUser;
let payer: TestUser;
let processor: TestProcessor;
/** Steps that were done; after this one the worker is stopped. */
let steps = 0;
let stopAfter = Number.POSITIVE_INFINITY;
/** Each step is done and then nobody hears of it, the first time. */
let dying = false;
let reached = Promise.withResolvers<void>();
let startWorkers: () => Promise<() => Promise<void>>;
let stop: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  processor = testProcessor();
  t.ctx.drivers.payments = processor.payments;
  const ada = await t.user('ada');
  operator = { ...ada, actor: { ...ada.actor, operator: true } };
  payer = await t.user('payer');
  await t.ctx.db('platform_settings').insert({ key: 'payout_hold_days', value: 0 });
  forgetSettings(t.ctx.db);
  const payouts = createPayoutActivities(t.ctx);
  const done = <T>(result: T): T => {
    steps += 1;
    if (steps >= stopAfter) reached.resolve();
    if (dying && activityInfo().attempt === 1) throw new Error('the worker died');
    return result;
  };
  const activities = {
    ...createDeployActivities({ ...t.ctx, node: 'local' }),
    takePayouts: async (id: string) => done(await payouts.takePayouts(id)),
    payPayouts: async (id: string) => done(await payouts.payPayouts(id)),
    endPayouts: async (id: string) => done(await payouts.endPayouts(id)),
  };
  startWorkers = () => startTestWorkers(temporal, activities);
  stop = await startWorkers();
});
afterAll(async () => {
  await stop();
  await t.close();
});

interface Creator {
  user: TestUser;
  agent: TestAgent;
}

async function creator(): Promise<Creator> {
  const user = await t.user('creator');
  const { user_id } = user.actor;
  const account = await processor.payments.createAccount({ accountId: user_id, email: '', key: user_id });
  processor.enable(user_id);
  const now = new Date();
  await t.ctx.db('payout_accounts').insert({ user_id, processor_id: account.id, details_submitted: true, payouts_enabled: true, requirements: [], created_at: now, checked_at: now }); // prettier-ignore
  return { user, agent: await addAgent(t.ctx.db, user_id) };
}

async function earn({ user, agent }: Creator, credits: number): Promise<void> {
  await fund(t.ctx, 'top_up', payer.actor.user_id, credits * CREDIT);
  await charge(t.ctx, { payer: payer.actor.user_id, creator: user.actor.user_id, agent, micros: credits * CREDIT, share: credits * CREDIT });
  await accrue(t.ctx);
  await moveLines(t.ctx);
}

const ended = (run_id: string): Promise<unknown> =>
  vi.waitFor(async () => expect(await t.ctx.db('payout_runs').where({ run_id }).first()).toMatchObject({ state: 'ended' }), within);
const sentTo = ({ user }: Creator): number[] =>
  processor.transfers.filter(({ destination }) => destination === `acct_${user.actor.user_id}`).map(({ cents }) => cents);

test('a run pays each creator who is due once, though every step comes twice and the processor breaks off', async () => {
  const [one, two, poor, refused] = [await creator(), await creator(), await creator(), await creator()];
  for (const [who, credits] of [[one, 30], [one, 12], [two, 25], [poor, 24], [refused, 40]] as const) await earn(who, credits); // prettier-ignore
  processor.refuse(refused.user.actor.user_id, true);
  processor.breaks = ({ key }) => (processor.requests.has(key) ? undefined : 'after');
  dying = true;
  const { run_id } = await startPayouts(operator, { key: 'first' });
  expect(await startPayouts(operator, { key: 'first' })).toMatchObject({ run_id });
  await expect(startPayouts(operator, {})).rejects.toMatchObject({ code: 'payout_run_open' });
  await ended(run_id);
  dying = false;
  processor.breaks = () => undefined;
  expect([sentTo(one), sentTo(two), sentTo(poor), sentTo(refused)]).toEqual([[4_200], [2_500], [], []]);
  expect((await listPayoutRuns(one.user, { limit: 10 })).items).toMatchObject([
    { run_id, transfer: 'paid', amount_micros: 42 * CREDIT, lines: 2, has_statement: true },
  ]);
  expect((await listPayoutRuns(refused.user, { limit: 10 })).items).toMatchObject([
    { run_id, transfer: 'failed', error: { code: 'account_closed' }, has_statement: false },
  ]);
  processor.refuse(refused.user.actor.user_id, false);
  const next = await startPayouts(operator, {});
  await ended(next.run_id);
  expect([sentTo(one), sentTo(refused)]).toEqual([[4_200], [4_000]]);
  expect(await auditLedger(t.ctx)).toEqual([]);
  await recordHistory(t.temporal, `payout:${next.run_id}`, 'settlePayouts.ended');
});

test('a worker that stops after any step is followed by one that goes on', async () => {
  const before = { transfers: processor.transfers.length };
  let least = 0;
  for (let after = 1; after <= 5; after += 1) {
    const who = await creator();
    await earn(who, 26);
    [steps, stopAfter, reached] = [0, after, Promise.withResolvers<void>()];
    const { run_id } = await startPayouts(operator, { user_id: who.user.actor.user_id });
    await reached.promise;
    await stop();
    stop = await startWorkers();
    await ended(run_id);
    expect(sentTo(who)).toEqual([2_600]);
    least = Math.max(least, steps);
  }
  expect(least).toBeGreaterThanOrEqual(5);
  expect(processor.transfers.length).toBe(before.transfers + 5);
  expect(await auditLedger(t.ctx)).toEqual([]);
});
