// Who began what led to a run: found wherever it began, so that nobody approves their own doing by a detour.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScheduleIn } from '#contract/conversation/schedules.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createPlan } from '#core/conversation/plan/create.ts';
import { createSchedule } from '#core/conversation/schedule/create.ts';
import { beginCall } from '#test/support/calls.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { runOf } from '#test/support/runs.ts';
import { decideHandoff } from '../../conversation/chat/decide.ts';
import { openWait } from '../wait/open.ts';
import { startRun } from '../../runs/durable/start.ts';
import { startersOf } from './starters.ts';
import { anew, approvalWorld, type Member, personId, type World } from './test/world.ts';

let t: TestContext;
let w: World;
let ann: Member;
let bob: Member;
beforeAll(async () => {
  t = await testContext();
  w = await approvalWorld(t);
  [ann, bob] = [await w.member('admin', 'ann'), await w.member('admin', 'bob')];
});
afterAll(() => t.close());

const of = (run_id: string | null, more: { root_run_id?: string; job_id?: string; dag_run_id?: string } = {}) =>
  startersOf(t.ctx.db, { run_id, root_run_id: null, job_id: null, ...more });
const started = (by: Member): Promise<{ run_id: string; job_id: string }> =>
  inTx(anew(by), (ctx) => startRun(ctx, { userId: w.organization.id, agent: w.agent.name, skill: 'work', args: {} }));

test('a call: its caller, also where the first run has no row yet', async () => {
  const route = await resolveRoute(t.ctx, w.agent.name);
  if (!route) throw new Error('no route');
  const { call } = await beginCall(ann, { route, actor: ann.actor, skill: 'work', grant: undefined, input: { inputSha256: 'a'.repeat(64), args: () => ({}) } });
  expect(await t.ctx.db('runs').where({ run_id: call.run.run_id })).toEqual([]);
  expect(await of(newId('run'), { root_run_id: call.run.run_id })).toEqual([personId(ann)]);
});

test('a durable run: who started it, and not the organization', async () => {
  const { run_id, job_id } = await started(ann);
  expect(await t.ctx.db('runs').where({ run_id }).first('caller_id', 'user_id')).toEqual({ caller_id: personId(ann), user_id: w.organization.id });
  expect(await of(run_id, { job_id })).toEqual([personId(ann)]);
  expect(await of(newId('run'), { root_run_id: run_id })).toEqual([personId(ann)]);
});

test('a plan: who began it, for its own questions and for those of its runs', async () => {
  const plan = await inTx(anew(bob), (ctx) => createPlan(ctx, { ownerId: w.organization.id, threadId: null, title: 'a plan', planner: 'rules', nodes: [] }));
  expect(await of(null, { job_id: plan.job_id, dag_run_id: plan.dag_run_id })).toEqual([personId(bob)]);
  const platform = { ...t.ctx, requestId: newId('req') };
  const step = await inTx(platform, (ctx) =>
    startRun(ctx, { userId: w.organization.id, agent: w.agent.name, skill: 'work', args: {}, parentJobId: plan.job_id }),
  );
  expect(await of(step.run_id, { job_id: step.job_id })).toEqual([personId(bob)]);
});

test('a schedule: who made it, though the platform starts it', async () => {
  const schedule = ScheduleIn.parse({ cron: '0 8 * * *', time_zone: 'UTC', target: { kind: 'skill', agent: w.agent.name, skill: 'work', args: {} } });
  const { schedule_id } = await createSchedule(anew(ann), schedule);
  const run = await inTx({ ...t.ctx, requestId: newId('req') }, (ctx) =>
    startRun(ctx, { userId: w.organization.id, agent: w.agent.name, skill: 'work', args: {}, scheduleId: schedule_id }),
  );
  expect(await of(run.run_id, { job_id: run.job_id })).toEqual([personId(ann)]);
});

test('what no person began has no starter, and a run of a run is its starter’s', cites('chat.decideHandoff'), async () => {
  expect(await of(newId('run'))).toEqual([]);
  await w.rules({ approvers: { role: 'admin', need: 1 } });
  const { run_id } = await started(ann);
  const child = runOf(t.ctx, w.agent, w.organization.id, { caller: { kind: 'run', id: w.agent.name }, root_run_id: run_id, parent_run_id: run_id });

  const id = `hof_${randomUUID()}`;
  const request = { agent: 'x', skill: 'y', input_sha256: 'a'.repeat(64), preview: '', grant_id: null, foreign: true };
  await inTx(child, (ctx) =>
    openWait(ctx, { waitId: id, kind: 'handoff_approval', prompt: 'may I?', request, timeoutSeconds: 60, approval: { subject: 'agent_call' } }),
  );

  await expect(decideHandoff(anew(ann), { approval_id: id, decision: 'approve', reason: '' })).rejects.toMatchObject({ code: 'four_eyes' });
  expect(await decideHandoff(anew(bob), { approval_id: id, decision: 'approve', reason: '' })).toMatchObject({ state: 'approved' });
});
