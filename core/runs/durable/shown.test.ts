// A run as its user sees it while it ends.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { inTx } from '../../kernel/tx.ts';
import { presentRun } from '../run/read.ts';
import { succeeded } from '../run/outcome.ts';
import { endDurableRun } from './end.ts';
import { startRun } from './start.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
});
afterAll(() => t.close());

test('a run that ends between two reads is shown whole: ended, with its receipt', async () => {
  const { run_id } = await inTx(ada, (ctx) => startRun(ctx, { userId: ada.actor.user_id, agent: agent.name, skill: 'work', args: {} }));
  const before = await t.ctx.db('runs').where({ run_id }).first();
  if (!before) throw new Error('no run');
  expect(await presentRun(ada, before)).toMatchObject({ state: 'queued', receipt_id: null, ended_at: null });
  expect(await endDurableRun(t.ctx, run_id, succeeded({ done: true }))).toBe(true);
  expect(await presentRun(ada, before)).toMatchObject({ state: 'succeeded', result: { done: true }, receipt_id: expect.stringMatching(/^rcp_/) });
});
