// Runs of teams on a real Temporal, with a worker and an agent in processes of their own.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TeamPlanIn, type TeamRunOut } from '#contract/studio/collective-runtime.ts';
import { cites } from '#test/spec/verifies.ts';
import { durableRuns, within } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { createPlan } from '../../conversation/plan/create.ts';
import { inTx } from '../../kernel/tx.ts';
import { newId } from '../../kernel/ids.ts';
import { extractMemories, listMemories } from './memory.ts';
import { planTeam } from './plan.ts';
import { readTeamRun } from './read.ts';
import { advanceTeam, decideGates, startTeam } from './run.ts';

let w: DurableWorld;
const runs = durableRuns(() => w);
beforeAll(async () => void (w = await durableWorld()));
afterAll(() => w.close());

const plan = (more: object) => planTeam(w.ada, TeamPlanIn.parse({ goal: 'Add them', ...more }));
const becomes = (dag_run_id: string, what: object): Promise<TeamRunOut> =>
  vi.waitFor(async () => {
    const run = await readTeamRun(w.ada, { dag_run_id });
    expect(run).toMatchObject(what);
    return run;
  }, within);

test(
  'a team does its steps in order, with what came before, and leaves receipts; what it taught is kept with them',
  cites('collectiveRuntime.run', 'collectiveRuntime.advance', 'collectiveRuntime.extract', 'collectiveRuntime.memories'),
  async () => {
    const members = [{ role: 'mapper', agent: w.agent.name, skill: 'add' }, { role: 'reducer', agent: w.agent.name, skill: 'add' }]; // prettier-ignore
    const made = await plan({ protocol: 'map_reduce', inputs: { a: 1, b: 2 }, members });
    const begun = await startTeam(w.ada, made);
    await advanceTeam(w.ada, begun);
    const run = await becomes(begun.dag_run_id, { state: 'succeeded' });
    expect(run.plan.nodes.map(({ state, skill, args }) => [state, skill, args])).toMatchObject([['succeeded', 'add', { a: 1, b: 2 }], ['succeeded', 'add', { a: 1, b: 2 }]]); // prettier-ignore
    expect(run.evidence).toEqual([{ evidence: 'receipts', met: true, about: '2 of 2 steps that were done have a receipt' }]);
    const { items } = await extractMemories(w.ada, run);
    expect(items.map(({ kind, sources }) => [kind, sources.length])).toEqual([['outcome', 1], ['outcome', 1]]); // prettier-ignore
    expect(await extractMemories(w.ada, run)).toEqual({ items });
    expect((await listMemories(w.ada, { limit: 1 })).next_cursor).not.toBeNull();
    expect((await listMemories(w.ben, { limit: 10 })).items).toEqual([]);
  },
);

test('a member that fails is replaced by the next that was named, as often as the plan allows; a killed worker changes nothing', async () => {
  const dag = await startedByHand([{ skill: 'fail', others: ['fail', 'add'] }], 2);
  await w.killWorker();
  await w.startWorker();
  const run = await becomes(dag, { state: 'succeeded', replans_left: 0 });
  expect(run.plan.nodes).toMatchObject([{ state: 'succeeded', skill: 'add' }]);
  expect(run.roles).toMatchObject([{ attempt: 2 }]);
  const { items } = await extractMemories(w.ada, run);
  expect(items.map(({ kind }) => kind)).toEqual(['outcome', 'failure', 'failure']);
  expect(items.every(({ sources }) => sources.length === 1)).toBe(true);
  expect(await whileHeld(dag, () => extractMemories(w.ada, run))).toEqual({ items });
  const once = await startedByHand([{ skill: 'fail', others: ['fail', 'add'] }], 1);
  expect(await becomes(once, { state: 'failed' })).toMatchObject({ replans_left: 0, plan: { nodes: [{ state: 'failed', skill: 'fail' }] } });
});

test('a step that may fail does not stop the team, and the next gets what the others gave', async () => {
  const dag = await startedByHand(
    [
      { skill: 'fail', mayFail: true },
      { skill: 'add', mayFail: true },
      { skill: 'add', after: [1, 2] },
    ],
    0,
  );
  const run = await becomes(dag, { state: 'succeeded' });
  expect(run.plan.nodes.map(({ state }) => state)).toEqual(['failed', 'succeeded', 'succeeded']);
});

test('a gate waits for the person; denied, the step is not done', cites('collectiveRuntime.approve'), async () => {
  const open = await startedByHand([{ skill: 'tell', gate: true }], 0);
  await becomes(open, { gates: [{ number: 1 }] });
  await expect(decideGates(w.ben, { dag_run_id: open, decision: 'approve', reason: '' })).rejects.toMatchObject({ code: 'team_run_not_found' });
  await decideGates(w.ada, { dag_run_id: open, decision: 'approve', reason: '' });
  await becomes(open, { state: 'succeeded', gates: [] });
  expect(await runs.noted('tell')).toBe(1);
  const denied = await startedByHand([{ skill: 'tell', gate: true, others: ['tell'] }], 3);
  await becomes(denied, { gates: [{ number: 1 }] });
  const before = await runs.noted('tell');
  await decideGates(w.ada, { dag_run_id: denied, decision: 'deny', reason: 'Not now' });
  const run = await becomes(denied, { state: 'failed', replans_left: 3 });
  expect(run.plan.nodes[0]?.error).toMatchObject({ code: 'call_denied' });
  expect(await runs.noted('tell')).toBe(before);
});

/** Another one is about to write what the run taught: `extract` waits for that, and finds it. */
async function whileHeld<T>(dag_run_id: string, extract: () => Promise<T>): Promise<T> {
  const { db } = w.t.ctx;
  const kept = await db('team_memories').where({ dag_run_id }).orderBy('memory_id');
  await db('team_memories').where({ dag_run_id }).delete();
  const second = await db.transaction(async (tx) => {
    await tx('team_runs').where({ dag_run_id }).forUpdate().first('dag_run_id');
    const begun = extract();
    begun.catch(() => undefined); // awaited below
    await vi.waitFor(async () => expect((await db.raw("select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")).rows).not.toEqual([]), within); // prettier-ignore
    await tx('team_memories').insert(kept);
    return { begun };
  });
  return second.begun;
}

interface Step {
  skill: string;
  others?: string[];
  mayFail?: boolean;
  gate?: boolean;
  after?: number[];
}

/** As startTeam does, of steps that no protocol has. */
async function startedByHand(steps: readonly Step[], replans: number): Promise<string> {
  const agent = w.agent.name;
  const nodes = steps.map(({ skill, others = [], mayFail = false, gate = false, after = [] }, at) => ({
    agent,
    skill,
    args: {},
    depends_on: after,
    ask: gate,
    team: {
      step: `s${at + 1}`,
      role: 'worker',
      brief: { goal: 'Add', files: [], inputs: { a: 1, b: at, times: 1, everyMs: 0 } },
      others: others.map((one) => ({ agent, skill: one })),
      mayFail,
      gate,
    },
  }));
  return inTx(w.ada, async (ctx) => {
    const { dag_run_id } = await createPlan(ctx, { ownerId: w.ada.actor.user_id, threadId: null, title: 'Team', planner: 'team', nodes });
    await ctx.db('team_runs').insert({ dag_run_id, owner_id: w.ada.actor.user_id, plan_id: newId('tpl'), protocol: 'single_agent_task', goal: 'Add', budget_micros: 1_000_000, replans_left: replans, evidence: ['receipts'], created_at: new Date() }); // prettier-ignore
    return dag_run_id;
  });
}
