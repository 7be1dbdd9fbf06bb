// An account whose schemas take long makes schedules, turns and plans that are checked against them: no
// connection of the database and no lock is held meanwhile.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScheduleIn } from '#contract/conversation/schedules.ts';
import { schemaWorkCounts } from '#core/kernel/schema-work/ask.ts';
import { inTx } from '#core/kernel/tx.ts';
import { startTurn } from '#core/conversation/chat/begin.ts';
import { advancePlan } from '#core/conversation/plan/advance.ts';
import { createPlan } from '#core/conversation/plan/create.ts';
import { createSchedule } from '#core/conversation/schedule/create.ts';
import { createThread } from '#core/threads/create.ts';
import { testContext, type TestContext, type TestUser } from '../support/context.ts';
import { liveAgent } from '../support/runs.ts';

let t: TestContext;
let mallory: TestUser;
beforeAll(async () => {
  t = await testContext();
});
afterAll(() => t.close());

/** A pattern that is never read to its end in the time of a thread, and quick where the text is short. */
const slow = { type: 'object', properties: { text: { type: 'string', pattern: '^(?:a+)+$' } }, required: ['text'] };
const args = { text: `${'a'.repeat(60)}!` };

/** Of a new account: its budget is its own. */
async function slowAgent(): Promise<string> {
  mallory = await t.user('mallory');
  const skills = [{ id: 'work', name: 'work', description: '', input_schema: slow, output_schema: {} }];
  return (await liveAgent(t.ctx, mallory.actor.user_id, { card: { skills } })).name;
}

const connections = (): number => (t.ctx.db.client as { pool: { numUsed(): number } }).pool.numUsed();

/** The connections that were held each time when a thread began to read a schema. */
async function heldDuring(work: Promise<unknown>): Promise<number[]> {
  const held: number[] = [];
  const state = { begun: schemaWorkCounts.begun, over: false };
  const settled = work.catch(() => undefined).finally(() => void (state.over = true));
  while (!state.over) {
    await new Promise(setImmediate);
    if (schemaWorkCounts.begun === state.begun) continue;
    state.begun = schemaWorkCounts.begun;
    held.push(connections());
  }
  await settled;
  return held;
}

test('the measure sees a transaction that waits', async () => {
  const asleep = Promise.withResolvers<undefined>();
  const waiting = inTx(t.ctx, async () => await asleep.promise);
  await expect.poll(connections).toBe(1);
  asleep.resolve(undefined);
  await waiting;
});

test('a schedule is made', async () => {
  const agent = await slowAgent();
  const target = { kind: 'skill' as const, agent, skill: 'work', args };
  const made = createSchedule(mallory, ScheduleIn.parse({ target, cron: '0 9 * * *', time_zone: 'UTC' }));
  expect(await heldDuring(made)).toEqual([0]);
  expect(await made).toMatchObject({ target });
});

test('a step of a plan starts', async () => {
  const agent = await slowAgent();
  const { thread_id: threadId } = await createThread(mallory, { title: 'Plan', handoffs: 'ask_foreign' });
  const node = { agent, skill: 'work', args, depends_on: [] };
  const { dag_run_id } = await inTx(mallory, (ctx) =>
    createPlan(ctx, { ownerId: mallory.actor.user_id, threadId, title: 'Plan', planner: 'steps', nodes: [node, node] }),
  );
  const advanced = advancePlan(t.ctx, dag_run_id);
  expect(await heldDuring(advanced)).toEqual([0]);
  expect(await advanced).toBe('goes on');
  const runs = await t.ctx.db('runs').where({ agent_name: agent });
  expect(runs.map(({ state }) => state)).toEqual(['queued', 'queued']);
});

test('a message starts a run', async () => {
  const agent = await slowAgent();
  const sent = startTurn(mallory, { message: '', agent, skill: 'work', args, model: false });
  expect(await heldDuring(sent)).toEqual([0, 0]);
  await sent;
  expect(await t.ctx.db('runs').where({ agent_name: agent })).toHaveLength(1);
});
