// Steps of plans where the account has as many runs under way as an operator allows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { limitRuns } from '#test/support/limit-runs.ts';
import { liveAgent } from '#test/support/runs.ts';
import { inTx } from '../../kernel/tx.ts';
import { createThread } from '../../threads/create.ts';
import { advancePlan } from './advance.ts';
import { createPlan } from './create.ts';
import { getPlan } from './read.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent = '';
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  const skills = [{ id: 'work', name: 'work', description: '', input_schema: { type: 'object' }, output_schema: {} }];
  const workspace_access = { enabled: true, required: false, deny_patterns: [], allowed_modes: ['read_only'] };
  ({ name: agent } = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills, workspace_access } }));
});
afterAll(() => t.close());

/** Two steps of a team that need not wait for each other, with files, so that a grant is made for each. */
async function planned(): Promise<{ dag_run_id: string; job_id: string; threadId: string }> {
  const { thread_id: threadId } = await createThread(ada, { title: 'Plan', handoffs: 'ask_foreign' });
  const node = {
    agent,
    skill: 'work',
    args: {},
    depends_on: [],
    team: {
      step: 's',
      role: 'worker',
      brief: { goal: 'Work', files: ['notes/**'], inputs: {} },
      others: [{ agent, skill: 'work' }],
      mayFail: false,
      gate: false,
    },
  };
  const made = await inTx(ada, (ctx) => createPlan(ctx, { ownerId: ada.actor.user_id, threadId, title: 'Plan', planner: 'team', nodes: [node, node] }));
  return { ...made, threadId };
}

const statesOf = async (dag_run_id: string): Promise<string[]> => (await getPlan(ada, { dag_run_id })).nodes.map(({ state }) => state);
const waitsSaid = async (job_id: string, threadId: string): Promise<unknown[][]> => {
  const kind = 'plan.waits_for_room';
  const read = async (rows: Promise<{ payload: unknown }[]>): Promise<unknown[]> => (await rows).map(({ payload }) => Reflect.get(Object(payload), 'number'));
  return [
    await read(t.ctx.db('job_events').where({ job_id, kind }).orderBy('seq').select('payload')),
    await read(t.ctx.db('thread_events').where({ thread_id: threadId, kind }).orderBy('seq').select('payload')),
  ];
};

test('a step waits, says so once, and begins when another run of the account has ended; no grant is made before', async () => {
  const { dag_run_id, job_id, threadId } = await planned();
  await limitRuns(ben, ada, 1);
  const grants = (): Promise<unknown[]> => t.ctx.db('grants').where({ owner_id: ada.actor.user_id });
  expect(await advancePlan(t.ctx, dag_run_id)).toBe('room');
  expect(await advancePlan(t.ctx, dag_run_id)).toBe('room');
  expect(await statesOf(dag_run_id)).toEqual(['running', 'pending']);
  expect(await grants()).toHaveLength(1);
  expect(await waitsSaid(job_id, threadId)).toEqual([[2], [2]]);
  await t.ctx.db('runs').where({ user_id: ada.actor.user_id }).update({ state: 'succeeded', ended_at: new Date() }); // prettier-ignore
  expect(await advancePlan(t.ctx, dag_run_id)).toBe('goes on');
  expect(await statesOf(dag_run_id)).toEqual(['running', 'running']);
  expect(await grants()).toHaveLength(2);
  await limitRuns(ben, ada, null);
});

test('a step that has waited an hour fails and says what to do; no other agent is tried in its place', async () => {
  const { dag_run_id } = await planned();
  await limitRuns(ben, ada, 0);
  expect(await advancePlan(t.ctx, dag_run_id)).toBe('room');
  await t.ctx
    .db('dag_nodes')
    .where({ dag_run_id })
    .update({ room_since: new Date(t.ctx.clock() - 3_600_000) });
  expect(await advancePlan(t.ctx, dag_run_id)).toBe('ended');
  const { nodes } = await getPlan(ada, { dag_run_id });
  expect(nodes.map(({ state, error }) => [state, error?.code])).toEqual([
    ['failed', 'too_many_runs'],
    ['skipped', undefined],
  ]);
  await limitRuns(ben, ada, null);
});
