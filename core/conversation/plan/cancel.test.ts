// A plan that is cancelled while the process that drives its steps advances it, too.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { inTx } from '../../kernel/tx.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { createThread } from '../../threads/create.ts';
import { advancePlan } from './advance.ts';
import { cancelPlan } from './cancel.ts';
import { createPlan } from './create.ts';
import { getPlan, listPlans } from './read.ts';

let t: TestContext;
let ada: TestUser;
let agent = '';
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  const skills = [{ id: 'work', name: 'work', description: '', input_schema: { type: 'object' }, output_schema: {} }];
  ({ name: agent } = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills } }));
});
afterAll(() => t.close());

test('the end of its last step does not end it as failed before its workflow ends it as cancelled', cites('dagRuns.list'), async () => {
  const { thread_id: threadId } = await createThread(ada, { title: 'Plan', handoffs: 'ask_foreign' });
  const node = { agent, skill: 'work', args: {}, depends_on: [] };
  const { dag_run_id, job_id } = await inTx(ada, (ctx) =>
    createPlan(ctx, { ownerId: ada.actor.user_id, threadId, title: 'Plan', planner: 'rules', nodes: [node, node] }),
  );
  expect(await advancePlan(t.ctx, dag_run_id)).toBe('goes on');
  await cancelJob(ada, { job_id });
  // Both steps have ended, and nothing has cancelled the plan itself yet.
  await t.ctx.db('jobs').where({ parent_job_id: job_id }).update({ state: 'cancelled', ended_at: new Date() }); // prettier-ignore
  expect(await advancePlan(t.ctx, dag_run_id)).toBe('goes on');
  expect(await cancelPlan(t.ctx, dag_run_id)).toBe(true);
  const plan = await getPlan(ada, { dag_run_id });
  expect((await listPlans(ada, { limit: 10 })).items).toMatchObject([{ dag_run_id, state: 'cancelled' }]);
  expect((await listPlans(await t.user('ben'), { limit: 10 })).items).toEqual([]);
  expect([plan.state, ...plan.nodes.map(({ state }) => state)]).toEqual(['cancelled', 'cancelled', 'cancelled']);
});
