// The budgets of an account's policy: 200 uses at once, to the cent; what was spent before; a crash; a limit
// that is raised or lowered.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestUser } from '#test/support/context.ts';
import { addUser } from '#test/support/verbs.ts';
import { liveAgent, runOf } from '#test/support/runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { setPolicy } from '../../overview/control-room/set-policy.ts';
import { controlRoom } from '../../overview/control-room/read.ts';
import { listDenials } from '../../overview/control-room/denials.ts';
import { reserve, type Reserved, settleUsage, type Settlement, sweepUses, type Use } from './meter.ts';
import { putCredential } from './put.ts';
import { credential, modelWorld, type ModelWorld, spent } from './test/models.ts';

let world: ModelWorld;
let ada: TestUser;
let use: Use;
beforeAll(async () => void (world = await modelWorld()));
beforeEach(async () => {
  ada = await world.user('ada');
  await putCredential(ada, credential(world.vendor));
  const row = await ada.db('llm_credentials').where({ user_id: ada.actor.user_id }).first();
  if (!row) throw new Error('it was not stored');
  // A cent for each use: 10,000 micro-dollars.
  const price = { input_micros_per_mtok: 100_000_000, cached_input_micros_per_mtok: 0, output_micros_per_mtok: 100_000_000 };
  use = { credential: row, model: 'm-1', price, purpose: 'chat', agentName: 'scout', runId: 'run_a', threadId: null, inputTokens: 60, outputTokens: 40 };
});
afterAll(() => world.close());

const CENT = 10_000;
const ended: Settlement = { state: 'ok', errorCode: null, usage: { inputTokens: 60, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 40 }, estimated: false, costMicros: CENT }; // prettier-ignore
const NONE = { monthly_budget_cents: 1_000_000, run_budget_cents: 1_000_000 };
const race = async (many: number, more: (at: number) => Partial<Use> = () => ({}), ctx: Ctx = ada) => {
  const all = await Promise.allSettled(Array.from({ length: many }, (_one, at) => reserve(ctx, { ...use, ...more(at) })));
  const taken = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const codes = new Set(all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.code)] : [])));
  return { taken, codes: [...codes] };
};
const settleAll = (uses: readonly Reserved[]) => Promise.all(uses.map((one) => settleUsage(ada, one, ended)));
const budget = async (cap: string, of: string | null = null) => (await controlRoom(ada, { receipts: 0, denials: 0 })).spend.budgets.find((one) => one.cap === cap && one.of === of); // prettier-ignore

test('200 at once under the budget of the month: as many cents as there are, none more; each is free again or spent, once', async () => {
  await setPolicy(ada, { ...NONE, monthly_budget_cents: 37 });
  const { taken, codes } = await race(200);
  expect([taken.length, codes]).toEqual([37, ['policy_budget_reached']]);
  expect(await budget('month')).toEqual({ cap: 'month', of: null, limit_micros: 37 * CENT, spent_micros: 0, reserved_micros: 37 * CENT });
  // A third costs nothing: what was reserved is free again.
  const free = taken.slice(0, 12);
  await Promise.all(free.map((one) => settleUsage(ada, one, { ...ended, state: 'failed', costMicros: 0 })));
  await settleAll(taken.slice(12));
  await settleAll(taken);
  expect(await budget('month')).toMatchObject({ spent_micros: 25 * CENT, reserved_micros: 0 });
  expect((await race(200)).taken.length).toBe(12);
  expect((await spent(ada, ada.actor.user_id)).spent_micros).toBe(25 * CENT);
  const [denial] = (await listDenials(ada, { limit: 5 })).items;
  expect(denial).toMatchObject({ action: 'spend', rule: 'monthly_budget_cents', resource: 'm-1' });
});

test('caps of day, agent, person and run each hold; who is refused by one takes nothing of the others', async () => {
  const people = [await addUser(ada.db, 'p'), await addUser(ada.db, 'q')];
  await setPolicy(ada, { ...NONE, daily_budget_cents: 40, agent_daily_budget_cents: 30, person_daily_budget_cents: 15, run_budget_cents: 7 });
  const facts = (at: number): Partial<Use> => ({ agentName: at % 2 === 0 ? 'scout' : 'guide', personId: people[at % 2] ?? null, runId: `run_${at % 20}` });
  const { taken } = await race(200, facts);
  // Two people with 15 cents each: the least of all limits. Of no run more than 7.
  expect(taken.length).toBe(30);
  const by = Map.groupBy(taken, (one) => String(one['person_id']));
  expect([...by.values()].map((list) => list.length)).toEqual([15, 15]);
  expect(Math.max(...[...Map.groupBy(taken, (one) => String(one['run_id'])).values()].map((list) => list.length))).toBeLessThanOrEqual(7);
  expect(await budget('day')).toMatchObject({ reserved_micros: 30 * CENT });
  expect(await budget('agent_day', 'scout')).toMatchObject({ limit_micros: 30 * CENT, reserved_micros: 15 * CENT });
  expect(await budget('person_day', people[0])).toMatchObject({ limit_micros: 15 * CENT, reserved_micros: 15 * CENT });
});

test('a run and what it calls spend of one budget', async () => {
  await setPolicy(ada, { ...NONE, run_budget_cents: 10 });
  const { taken } = await race(200, (at) => ({ runId: `run_child_${at}`, rootRunId: 'run_root', agentName: `agent-${at % 7}` }));
  expect(taken.length).toBe(10);
});

test('what was spent before the policy was set counts in the month and the day', async () => {
  const { taken } = await race(5);
  await settleAll(taken.slice(0, 3));
  await setPolicy(ada, { ...NONE, monthly_budget_cents: 8, daily_budget_cents: 100 });
  // Two are still under way, and count with what was reserved.
  expect(await budget('month')).toMatchObject({ spent_micros: 5 * CENT });
  expect((await race(50)).taken.length).toBe(3);
  expect(await budget('day')).toMatchObject({ spent_micros: 5 * CENT, reserved_micros: 3 * CENT });
});

test('a budget that is raised lets more through, one that is lowered less, although it was counted already', async () => {
  await setPolicy(ada, { ...NONE, monthly_budget_cents: 2 });
  expect((await race(10)).taken.length).toBe(2);
  await setPolicy(ada, { monthly_budget_cents: 5 });
  expect((await race(10)).taken.length).toBe(3);
  await setPolicy(ada, { monthly_budget_cents: 1 });
  expect((await race(10)).taken.length).toBe(0);
});

test('what a process reserved that has died counts as spent once it is swept', async () => {
  await setPolicy(ada, { ...NONE, monthly_budget_cents: 3 });
  const { taken } = await race(2);
  expect(taken.length).toBe(2);
  await sweepUses({ db: ada.db, clock: () => Date.now() + 3_600_000 });
  expect(await budget('month')).toMatchObject({ spent_micros: 2 * CENT, reserved_micros: 0 });
  expect((await race(5)).taken.length).toBe(1);
});

test('what has no price costs nothing, and is held to no budget', async () => {
  await setPolicy(ada, { monthly_budget_cents: 0 });
  expect((await race(5, () => ({ price: undefined }))).taken.length).toBe(5);
  expect((await race(5)).codes).toEqual(['policy_budget_reached']);
});

test("the payer's policy counts, and its refusal is theirs to see: the receipt of the run has it too", async () => {
  await setPolicy(ada, { ...NONE, run_budget_cents: 0 });
  const ben = await world.user('ben');
  const agent = await liveAgent(ada, ben.actor.user_id, { visibility: 'public' });
  const run = runOf(ada, agent, ada.actor.user_id);
  expect((await race(3, () => ({ runId: run.actor.run_id, personId: ada.actor.user_id }), run)).codes).toEqual(['policy_budget_reached']);
  const seen = async (who: TestUser) => (await listDenials(who, { limit: 5 })).items.map(({ rule, count, run_id }) => [rule, count, run_id]);
  expect([await seen(ada), await seen(ben)]).toEqual([[['run_budget_cents', 3, run.actor.run_id]], []]);
  expect(await ada.db('runs').where({ run_id: run.actor.run_id })).toHaveLength(1);
});
