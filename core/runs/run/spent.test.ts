// What is spent, by the one rule of all budgets: amounts that are known, and what was set aside for all
// others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { startRun } from '../durable/start.ts';
import { createPlan } from '../../conversation/plan/create.ts';
import { advancePlan } from '../../conversation/plan/advance.ts';
import { spentByTeams } from '../../conversation/plan/team-node.ts';
import { spentBy, spentOn } from './spent.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  const skills = [{ id: 'work', name: 'work', description: '', input_schema: { type: 'object' }, output_schema: {} }];
  agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills } });
});
afterAll(() => t.close());

async function run(parent?: string): Promise<string> {
  const { run_id } = await inTx(ada, (ctx) => startRun(ctx, { userId: ada.actor.user_id, agent: agent.name, skill: 'work', args: {} }));
  if (parent !== undefined) await t.ctx.db('runs').where({ run_id }).update({ parent_run_id: parent }); // prettier-ignore
  return run_id;
}

const asked = (run_id: string, state: 'running' | 'ok' | 'failed', reserved_micros: number, cost_micros: number | null) =>
  t.ctx.db('llm_usage').insert({ usage_id: newId('llu'), user_id: ada.actor.user_id, credential_id: 'llc_1', credential: 'c', provider: 'p', model: 'm', purpose: 'skill', run_id, state, reserved_micros, cost_micros, day: '2026-11-26', started_at: new Date(), ended_at: state === 'running' ? null : new Date() }); // prettier-ignore

async function charged(run_id: string, state: 'held' | 'settled' | 'released', held_micros: number, amount_micros: number | null): Promise<void> {
  const at = new Date();
  const price_id = newId('prc');
  const numbers = { call_micros: 1, second_micros: 0, token_micros: 0, artifact_micros: 0, max_micros: held_micros, free_calls: 0 };
  await t.ctx.db('skill_prices').insert({ price_id, agent_id: agent.id, skill: price_id, version: 1, ...numbers, valid_from: at, created_at: at });
  const ended = state === 'held' ? {} : { ended_at: at };
  const amounts = amount_micros === null ? {} : { amount_micros, creator_micros: amount_micros, fee_micros: 0, units: '{}' };
  await t.ctx.db('charges').insert({ charge_id: newId('chg'), run_id, agent_id: agent.id, skill: 'work', price_id, creator_id: ada.actor.user_id, payer_id: ada.actor.user_id, state, free: false, held_micros, ...amounts, ...ended, started_at: at }); // prettier-ignore
}

test('of what is under way and of what never said its price it is what was set aside; of all else what it cost', async () => {
  const top = await run();
  const below = await run(await run(top));
  await asked(top, 'running', 100, null);
  await asked(below, 'ok', 1_000, 30);
  await asked(below, 'failed', 2_000, 0);
  await charged(below, 'settled', 9_000, 4_000);
  await charged(await run(top), 'held', 7_000, null);
  await charged(await run(top), 'released', 5_000, null);
  expect(await spentOn(t.ctx.db, [top])).toEqual({ micros: 11_130, exact: true });
  await asked(top, 'ok', 50_000, null);
  expect(await spentOn(t.ctx.db, [top])).toEqual({ micros: 61_130, exact: false });
  // Named twice it counts once; by different names for each.
  expect(await spentOn(t.ctx.db, [top, below, top])).toEqual({ micros: 61_130, exact: false });
  const by = await spentBy(t.ctx.db, [{ of: 'a', run_id: top }, { of: 'b', run_id: below }, { of: 'c', run_id: await run() }]); // prettier-ignore
  expect([by.get('a')?.micros, by.get('b')?.micros, by.get('c')]).toEqual([61_130, 4_030, undefined]);
  expect(await spentOn(t.ctx.db, [])).toEqual({ micros: 0, exact: true });
});

test('what a member of a team spent counts after it was replaced', async () => {
  const of = { agent: agent.name, skill: 'work' };
  const node = {
    ...of,
    args: {},
    depends_on: [],
    team: { step: 's', role: 'worker', brief: { goal: 'Work', files: [], inputs: {} }, others: [of], mayFail: false, gate: false },
  };
  const { dag_run_id } = await inTx(ada, async (ctx) => {
    const made = await createPlan(ctx, { ownerId: ada.actor.user_id, threadId: null, title: 'Team', planner: 'team', nodes: [node] });
    await ctx.db('team_runs').insert({ dag_run_id: made.dag_run_id, owner_id: ada.actor.user_id, plan_id: newId('tpl'), protocol: 'single_agent_task', goal: 'Work', budget_micros: 1_000_000, replans_left: 1, evidence: ['receipts'], created_at: new Date() }); // prettier-ignore
    return made;
  });
  await advancePlan(t.ctx, dag_run_id);
  const first = await t.ctx.db('dag_nodes').where({ dag_run_id }).first('run_id', 'job_id'); // prettier-ignore
  await asked(first?.run_id ?? '', 'ok', 500, 300);
  await t.ctx.db('jobs').where({ job_id: first?.job_id ?? '' }).update({ state: 'failed', ended_at: new Date(), error: JSON.stringify({ code: 'x', message: 'y' }) }); // prettier-ignore
  await advancePlan(t.ctx, dag_run_id);
  const second = await t.ctx.db('dag_nodes').where({ dag_run_id }).first('run_id', 'attempt'); // prettier-ignore
  expect(second).toMatchObject({ attempt: 1, run_id: expect.not.stringMatching(first?.run_id ?? '') });
  await asked(second?.run_id ?? '', 'running', 20, null);
  expect(await spentByTeams(t.ctx.db, [dag_run_id])).toBe(320);
});
