// What a coordinator remembers: its user's and its own, one writer at a time, final when it has ended.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_STATE_BYTES, MetaRunIn } from '#contract/studio/meta-agent-runs.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { MAX_META_RUNS } from '#contract/wire/limits.ts';
import { createMetaRun } from './create.ts';
import { getMetaRun, listMetaRuns } from './list.ts';
import { updateMetaRun } from './update.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  agent = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' });
});
afterAll(() => t.close());

const create = (ctx: Ctx = ada, more: object = {}) =>
  createMetaRun(ctx, { name: agent.name, ...MetaRunIn.parse({ goal: 'Ship it', criteria: ['it runs'], ...more }) });
const update = (ctx: Ctx, run_id: string, version: number, more: object) => updateMetaRun(ctx, { name: agent.name, run_id, version, ...more });
const get = (ctx: Ctx, run_id: string) => getMetaRun(ctx, { name: agent.name, run_id });
const list = (ctx: Ctx, more: { limit?: number; cursor?: string; state?: 'all' | 'open' } = {}) =>
  listMetaRuns(ctx, { name: agent.name, limit: 50, state: 'all', ...more });

test('a run of the agent saves as it works; the run after a restart goes on from there', async () => {
  const first = runOf(t.ctx, agent, ada.actor.user_id);
  const made = await create(first, { plan: { steps: ['a', 'b'] } });
  expect(made).toMatchObject({ agent: agent.name, status: 'planning', version: 1, written_by: first.actor.run_id, ended_at: null });
  const saved = await update(first, made.run_id, 1, { status: 'running', progress: { done: ['a'] } });
  expect(saved).toMatchObject({ version: 2, plan: { steps: ['a', 'b'] }, progress: { done: ['a'] }, status: 'running' });
  const second = runOf(t.ctx, agent, ada.actor.user_id);
  const [open] = (await list(second, { state: 'open' })).items;
  expect(open).toEqual(saved);
  const ended = await update(second, made.run_id, 2, { status: 'succeeded', progress: { done: ['a', 'b'] } });
  expect(ended).toMatchObject({ version: 3, status: 'succeeded', written_by: second.actor.run_id, ended_at: expect.any(String) });
  expect(await get(ada, made.run_id)).toEqual(ended);
  await expect(update(ada, made.run_id, 3, { goal: 'more' })).rejects.toMatchObject({ code: 'meta_run_ended' });
  expect((await list(ada, { state: 'open' })).items).toEqual([]);
});

test('of many who change one version at once, one does; the others are told the version there is', async () => {
  const { run_id } = await create();
  const changes = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => update(ada, run_id, 1, { progress: { n } })));
  expect(changes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const change of changes) if (change.status === 'rejected') expect(change.reason).toMatchObject({ code: 'version_conflict', details: { version: 2 } });
});

test('it is one user’s with one agent: other users, other agents and runs for others see nothing', async () => {
  const { run_id } = await create();
  const other = await liveAgent(t.ctx, ada.actor.user_id);
  for (const stranger of [ben, runOf(t.ctx, agent, ben.actor.user_id)]) {
    await expect(get(stranger, run_id)).rejects.toMatchObject({ code: 'meta_run_not_found' });
    await expect(update(stranger, run_id, 1, { goal: 'mine' })).rejects.toMatchObject({ code: 'meta_run_not_found' });
    expect((await list(stranger)).items).toEqual([]);
  }
  await expect(get(runOf(t.ctx, other, ada.actor.user_id), run_id)).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(list(runOf(t.ctx, agent, null))).rejects.toMatchObject({ name: 'Forbidden' });
  await expect(getMetaRun(ada, { name: other.name, run_id })).rejects.toMatchObject({ code: 'meta_run_not_found' });
});

test('a run that has ended writes nothing more', async () => {
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  const { run_id } = await create(run);
  await t.ctx.db('runs').where({ run_id: run.actor.run_id }).update({ state: 'succeeded', ended_at: new Date().toISOString() });
  await expect(update(run, run_id, 1, { goal: 'late' })).rejects.toMatchObject({ code: 'run_ended' });
  await expect(create(run)).rejects.toMatchObject({ code: 'run_ended' });
});

test('what it holds is bounded, and how many there are', async () => {
  const large = { text: 'ä'.repeat(MAX_STATE_BYTES / 2) };
  expect(MetaRunIn.safeParse({ goal: 'x', plan: large }).success).toBe(false);
  expect(MetaRunIn.safeParse({ goal: 'x', progress: { text: 'a'.repeat(MAX_STATE_BYTES - 11) } }).success).toBe(true);
  expect(MetaRunIn.safeParse({ goal: 'x'.repeat(4001) }).success).toBe(false);
  const eve = await t.user('eve');
  const rows = Array.from({ length: MAX_META_RUNS }, (_, n) => ({
    meta_run_id: `mrn_${n}`,
    goal: 'x',
    criteria: '[]',
    plan: '{}',
    progress: '{}',
    status: 'running' as const,
  }));
  await t.ctx.db('meta_runs').insert(rows.map((row) => ({ ...row, agent_id: agent.id, user_id: eve.actor.user_id })));
  await expect(create(eve)).rejects.toMatchObject({ code: 'too_many_meta_runs' });
  const page = await list(eve, { limit: 200 });
  expect((await list(eve, { limit: 200, cursor: page.next_cursor ?? '' })).items.map((m) => m.run_id)).not.toContain(page.items.at(-1)?.run_id);
});
