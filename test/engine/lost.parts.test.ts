// Workflows of every type are lost on a real Temporal server, one by one and all at once: what was under way
// goes on, or its record says why not. starts: workflows/index.ts
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createPayoutActivities } from '#activities/payouts.ts';
import { createScheduleActivities } from '#activities/schedules.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { ScheduleIn } from '#contract/conversation/schedules.ts';
import { ensureCalendar } from '#core/jobs/calendar/ensure.ts';
import { jobCalendar } from '#core/jobs/index.ts';
import { newId } from '#core/kernel/ids.ts';
import { startPayouts } from '#core/money/payout/run/start.ts';
import { sweepOutbox } from '#core/outbox/dispatch.ts';
import { reconcileWorkflows } from '#core/outbox/reconcile.ts';
import { beginFiring } from '#core/conversation/schedule/begin.ts';
import { createSchedule } from '#core/conversation/schedule/create.ts';
import { askPerson } from '#core/pauses/wait/ask.ts';
import { resolveWait } from '#core/pauses/decision/resolve.ts';
import { owners } from '#worker/housekeeping.ts';
import * as workflows from '#workflows/index.ts';
import { testContext, type TestContext, type TestUser } from '../support/context.ts';
import { testProcessor } from '../support/processor.ts';
import { type LiveAgent, listenAs, liveAgent, type Machine, runOf } from '../support/runs.ts';
import { runFolder } from '../support/servers.ts';
import { startTestWorkers } from '../support/workers.ts';
import { type Begun, beginAll } from './begun.ts';
import { ownServer, type OwnServer } from './own-server.ts';
import { lastSteps } from './steps.ts';

const within = { timeout: 180_000, interval: 200 };

let server: OwnServer;
let t: TestContext;
let ada: TestUser;
let operator: TestUser;
let agent: LiveAgent;
let machine: Machine;
let stopWorkers: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  server = await ownServer(await mkdtemp(join(await runFolder(), 'engine-')));
  t = await testContext({ temporal: server });
  t.ctx.drivers.payments = testProcessor().payments;
  ada = await t.user('ada');
  operator = { ...ada, actor: { ...ada.actor, operator: true } };
  agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [{ id: 'work', name: 'work', input_schema: {}, output_schema: {} }] } });
  machine = await listenAs(t.ctx, agent);
});
afterEach(() => stopWorkers());
afterAll(async () => {
  await machine.close();
  await t.close();
  await server.close();
});

const startWorkers = async (): Promise<void> => {
  const real = { ...createWaitActivities(t.ctx), ...createPayoutActivities(t.ctx), ...createScheduleActivities(t.ctx) };
  const stop = await startTestWorkers(server, lastSteps(real));
  stopWorkers = async () => {
    stopWorkers = async () => undefined;
    await stop();
  };
};
const stateOf = ({ workflow_id }: Begun): Promise<string> => t.ctx.drivers.workflows.describe(workflow_id);
const executionOf = async ({ workflow_id }: Begun): Promise<string> => (await t.temporal.workflow.getHandle(workflow_id).describe()).runId;
const jobOf = ({ job_id = '' }: Begun) => t.ctx.db('jobs').where({ job_id }).first('state', 'error');

async function wait(): Promise<Begun> {
  const { wait_id } = await askPerson(runOf(t.ctx, agent, ada.actor.user_id), { question_id: `qst_${randomUUID()}`, prompt: 'Which?', timeout_seconds: 3_600 });
  return { type: 'humanWait', workflow_id: `wait:${wait_id}` };
}

/** As the engine's calendar starts it. */
async function firing(): Promise<Begun> {
  const target = { kind: 'skill' as const, agent: agent.name, skill: 'work', args: {} };
  const { schedule_id } = await createSchedule(ada, ScheduleIn.parse({ target, cron: '0 9 * * *', time_zone: 'UTC' }));
  const workflow_id = `schedrun:${schedule_id}-${randomUUID()}`;
  await t.temporal.workflow.start('scheduledRun', { workflowId: workflow_id, taskQueue: 'control', args: [{ schedule_id }] });
  await beginFiring(t.ctx, { schedule_id, firing_id: workflow_id, due_at: Date.now(), made_at: Date.now() });
  return { type: 'scheduledRun', workflow_id };
}

async function payout(): Promise<Begun> {
  const { run_id } = await startPayouts(operator, { key: randomUUID() });
  return { type: 'settlePayouts', workflow_id: `payout:${run_id}` };
}

/** One of every type that starts by more than its calendar. */
async function begin(): Promise<Begun[]> {
  const begun = [...(await beginAll(t.ctx)), await wait(), await firing(), await payout()];
  await areRunning(begun);
  return begun;
}

/** Outbox messages are sent as the worker's loop sends them. */
const areRunning = (begun: readonly Begun[]): Promise<void> =>
  vi.waitFor(async () => {
    await sweepOutbox(t.ctx, 200);
    const states = await Promise.all(begun.map(async (one) => ({ type: one.type, state: await stateOf(one) })));
    expect(states.filter(({ state }) => state !== 'running')).toEqual([]);
  }, within);

/** They began two minutes ago, and nobody has looked since. */
const age = (): Promise<unknown> => t.ctx.db('open_workflows').update({ started_at: t.ctx.db.raw(`now() - interval '2 minutes'`), looked_at: null });
const reconcile = (): Promise<string[]> => reconcileWorkflows(t.ctx, owners);
const openPayouts = () => t.ctx.db('payout_runs').where({ state: 'running' });

async function repaired(begun: readonly Begun[]): Promise<void> {
  const left = new Set(begun.map(({ workflow_id }) => workflow_id));
  await vi.waitFor(async () => {
    for (const id of await reconcile()) left.delete(id);
    expect([...left]).toEqual([]);
  }, within);
}

/** Steps that end each of them; then nothing is open, neither here nor in the engine. */
async function comeToTheirEnd(begun: readonly Begun[]): Promise<void> {
  await startWorkers();
  for (const { type, workflow_id } of begun) if (type === 'humanWait') await answer(workflow_id);
  for (const { workflow_id } of await t.ctx.db('jobs').where({ kind: 'run' }).whereNull('ended_at').select('workflow_id'))
    await owners.runSkill(t.ctx, { workflow_id: workflow_id ?? '', state: 'terminated' });
  await vi.waitFor(async () => {
    await sweepOutbox(t.ctx, 200);
    await age();
    await reconcile();
    expect(await t.ctx.db('open_workflows').select('workflow_id')).toEqual([]);
  }, within);
  const jobs = await Promise.all(begun.map(async (one) => ({ type: one.type, state: (await jobOf(one))?.state ?? 'failed' })));
  expect(jobs.filter(({ state }) => !['failed', 'succeeded'].includes(state))).toEqual([]);
  expect(await openPayouts()).toEqual([]);
  await stopWorkers();
}

const answer = (workflowId: string): Promise<unknown> =>
  resolveWait(
    { ...ada, requestId: newId('req') },
    { waitId: workflowId.replace('wait:', ''), kind: 'question', decision: { decision: 'answered', answer: 'blue' } },
  );
const told = (workflowId: string): unknown[] => machine.told.filter(({ path }) => path === `/answers/${workflowId.replace('wait:', '')}`);

test('every type is begun here; the nightly pass begins only by its calendar', async () => {
  const begun = await begin();
  expect(begun.map(({ type }) => type).toSorted()).toEqual(
    Object.keys(workflows)
      // The calendar starts these.
      .filter((type) => type !== 'retention' && type !== 'calendarRound')
      .toSorted(),
  );
  await comeToTheirEnd(begun);
});

test('terminated: a job ends with a fault that says what to do, and everything else starts again', async () => {
  const begun = await begin();
  const before = await Promise.all(begun.map(executionOf));
  for (const { workflow_id } of begun) await t.temporal.workflow.getHandle(workflow_id).terminate('by hand');
  await repaired(begun);
  const jobs = begun.filter(({ job_id }) => job_id !== undefined);
  for (const one of jobs) expect({ type: one.type, ...(await jobOf(one)) }).toMatchObject({ state: 'failed', error: { code: 'workflow_lost' } });
  const others = begun.filter(({ job_id }) => job_id === undefined);
  await areRunning(others);
  const after = await Promise.all(begun.map(executionOf));
  expect(others.filter((one) => before[begun.indexOf(one)] === after[begun.indexOf(one)])).toEqual([]);
  await comeToTheirEnd(begun);
});

test('a terminated wait takes an answer, which its skill gets once; a terminated payout run ends, and the next one begins', async () => {
  const [asked, paying] = [await wait(), await payout()];
  await areRunning([asked, paying]);
  for (const { workflow_id } of [asked, paying]) await t.temporal.workflow.getHandle(workflow_id).terminate('by hand');
  machine.answer = 503;
  await answer(asked.workflow_id);
  await vi.waitFor(() => expect(told(asked.workflow_id).length).toBeGreaterThan(0), within);
  machine.answer = 204;
  const refused = told(asked.workflow_id).length;
  await expect(payout()).rejects.toMatchObject({ code: 'payout_run_open' });
  await repaired([asked, paying]);
  await startWorkers();
  await vi.waitFor(async () => {
    await sweepOutbox(t.ctx);
    expect(await t.ctx.db('waits').where({ wait_id: asked.workflow_id.replace('wait:', '') }).first('state', 'delivered_at')).toMatchObject({ state: 'answered', delivered_at: expect.any(Date) }); // prettier-ignore
    expect(await openPayouts()).toEqual([]);
  }, within);
  expect(told(asked.workflow_id)).toHaveLength(refused + 1);
  await stopWorkers();
  await comeToTheirEnd([await payout()]);
});

test('cancelled by hand: what has no end of its own for that starts again, and no job stays open', async () => {
  const begun = await begin();
  for (const { workflow_id } of begun) await t.temporal.workflow.getHandle(workflow_id).cancel();
  await comeToTheirEnd(begun);
});

test('an emptied server: everything starts again, by the rows, and its calendar is written anew', async () => {
  const begun = await begin();
  await server.empty();
  await age();
  await repaired(begun);
  await areRunning(begun);
  await ensureCalendar(t.ctx, jobCalendar);
  expect(await t.ctx.drivers.schedules.describe('svc:retention')).toMatchObject({ paused: false });
  for (const one of begun) if (one.job_id !== undefined) expect({ type: one.type, ...(await jobOf(one)) }).toMatchObject({ error: null });
  await comeToTheirEnd(begun);
});

test('a server restored to yesterday: what began since starts again, what ended since stays ended, and messages since are sent again', async () => {
  const yesterday = await begin();
  await server.keep();
  const asked = yesterday.find(({ type }) => type === 'humanWait') ?? { type: '', workflow_id: '' };
  machine.answer = 503;
  await answer(asked.workflow_id);
  await vi.waitFor(async () => expect(await t.ctx.db('outbox').where({ workflow_id: asked.workflow_id, kind: 'signal' }).whereNotNull('sent_at')).toHaveLength(1), within); // prettier-ignore
  const today = [...(await beginAll(t.ctx)), await wait()];
  await areRunning(today);
  await server.putBack();
  machine.answer = 204;
  await age();
  await repaired(today);
  await areRunning([...yesterday, ...today]);
  await comeToTheirEnd([...yesterday.filter((one) => one !== asked), ...today]);
  await vi.waitFor(() => expect(told(asked.workflow_id).length).toBeGreaterThan(1), within);
});
