// Schedules on a real Temporal server and a real database. The runs they begin are ended by hand: what runs
// do is their own tests' matter.
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { SETTINGS } from '#contract/platform/settings.ts';
import { createScheduleActivities } from '#activities/schedules.ts';
import { DAY_MS } from '#contract/conversation/cron.ts';
import type { ScheduleIn } from '#contract/conversation/schedules.ts';
import { newId } from '#core/kernel/ids.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { openStates } from '#core/jobs/model.ts';
import { succeeded } from '#core/runs/run/outcome.ts';
import { endDurableRun } from '#core/runs/durable/end.ts';
import { beginFiring, runScheduleNow } from '#core/conversation/schedule/begin.ts';
import { createSchedule } from '#core/conversation/schedule/create.ts';
import { checkFiring } from '#core/conversation/schedule/ended.ts';
import { listSchedules } from '#core/conversation/schedule/list.ts';
import { engineIdOf } from '#core/conversation/schedule/model.ts';
import { renewDays } from '#core/conversation/schedule/plan.ts';
import { reconcileSchedules } from '#core/conversation/schedule/reconcile.ts';
import { removeSchedule } from '#core/conversation/schedule/remove.ts';
import { syncSchedules } from '#core/conversation/schedule/sync.ts';
import { updateSchedule } from '#core/conversation/schedule/update.ts';
import { createThread } from '#core/threads/create.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';
import { createControlWorker } from '#worker/queues.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let connection: NativeConnection;
let stopWorkers: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
  connection = await NativeConnection.connect({ address: temporal.address });
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createScheduleActivities(t.ctx) };
  const workflows = { workflowBundle: await testWorkflows() };
  // Only workflows: nobody drives the runs but the tests.
  const worker = await createControlWorker({ connection, namespace: temporal.namespace, node: 'local', activities, workflows });
  const running = worker.run();
  stopWorkers = async () => {
    worker.shutdown();
    await running;
  };
});
afterAll(async () => {
  // Temporal outlives this file: its calendar must not.
  for (const { schedule_id } of await t.ctx.db('schedules').select('schedule_id')) await t.ctx.drivers.schedules.remove(engineIdOf(schedule_id));
  await stopWorkers();
  await connection.close();
  await t.close();
});

/** Far from now, so that only the test makes it come due. */
const yearly = '0 0 1 1 *';
const make = (more: Partial<ScheduleIn> = {}) =>
  createSchedule(ada, {
    cron: yearly,
    time_zone: 'UTC',
    skipped_times: 'run_after',
    repeated_times: 'once',
    overlap: 'skip',
    catchup_window_seconds: 3600,
    jitter_seconds: 0,
    pause_on_failure: false,
    paused: false,
    target: { kind: 'skill', agent: agent.name, skill: 'greet', args: { name: 'Ada' } },
    ...more,
  });
const shown = async (id: string) => {
  const { items } = await listSchedules(ada, { limit: 100 });
  return items.find(({ schedule_id }) => schedule_id === id);
};
const handle = (id: string) => t.temporal.schedule.getHandle(engineIdOf(id));
const firings = (id: string) => t.ctx.db('schedule_firings').where({ schedule_id: id }).orderBy('started_at');
const soon = { timeout: 20_000, interval: 50 };
/** The engine names what it starts by the second. */
const nextSecond = (since: Date): Promise<void> =>
  vi.waitFor(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(Math.floor(since.getTime() / 1000)), soon);
/** As the calendar would: the engine starts the workflow. */
const comeDue = (id: string, overlap: 'SKIP' | 'CANCEL_OTHER' = 'SKIP'): Promise<void> => handle(id).trigger(overlap);
const firing = (id: string, at = 0) =>
  vi.waitFor(async () => {
    const row = (await firings(id))[at];
    if (!row || row.state === 'starting') throw new Error('has not begun');
    return row;
  }, soon);
/** As the activity of a durable run does. */
const end = async (jobId: string | null, state: 'succeeded' | 'failed' | 'cancelled', error?: { code: string; message: string }): Promise<void> => {
  const run = await t.ctx.db('runs').where('job_id', jobId).first('run_id');
  const outcome = state === 'succeeded' ? succeeded(null) : { state, error: error ?? { code: 'test', message: 'A test ended it' } };
  await endDurableRun(t.ctx, run?.run_id ?? '', outcome);
};
const workflowOf = (firingId: string) => t.ctx.drivers.workflows.describe(firingId);

test('a schedule comes due: a durable run in its owner’s name begins, and the schedule lasts as long as it does', async () => {
  const { schedule_id } = await make({ title: 'Greetings' });
  await comeDue(schedule_id);
  const row = await firing(schedule_id);
  expect(row).toMatchObject({ cause: 'time', state: 'running' });
  const job = await t.ctx.db('jobs').where('job_id', row.job_id).first();
  expect(job).toMatchObject({ kind: 'run', title: 'Greetings', owner_id: ada.actor.user_id, agent_name: agent.name });
  expect(await t.ctx.db('runs').where('run_id', row.run_id).first()).toMatchObject({
    schedule_id,
    skill: 'greet',
    args: { name: 'Ada' },
    caller_kind: 'user',
  });
  expect(await workflowOf(row.firing_id)).toBe('running');
  expect((await shown(schedule_id))?.last_run).toMatchObject({ state: 'running', job_id: row.job_id });
  await end(row.job_id, 'succeeded');
  await vi.waitFor(async () => expect(await workflowOf(row.firing_id)).toBe('completed'), soon);
  expect(await shown(schedule_id)).toMatchObject({ failures_in_a_row: 0, last_error: null, last_run: { state: 'succeeded' } });
  await recordHistory(t.temporal, row.firing_id, 'scheduledRun.succeeded');
});

// The engine runs a stretch of its calendar that the test names, as if it had come: the clock is held by the
// test.
test.each([
  { cron: '*/30 2-5 * * *', from: '2027-03-28T00:00Z', until: '2027-03-28T02:00Z', due: ['01:00', '01:30', '02:00'] },
  { cron: '30 2 * * *', from: '2027-03-27T12:00Z', until: '2027-03-28T12:00Z', due: ['01:00'] },
  { cron: '30 2 * * *', from: '2027-03-27T12:00Z', until: '2027-03-28T12:00Z', more: { skipped_times: 'leave_out' as const }, due: [] },
  { cron: '30 2 * * *', from: '2027-10-30T12:00Z', until: '2027-10-31T12:00Z', due: ['00:30'] },
  { cron: '30 2 * * *', from: '2027-10-30T12:00Z', until: '2027-10-31T12:00Z', more: { repeated_times: 'twice' as const }, due: ['00:30', '01:30'] },
])('$cron in Berlin from $from: runs begin at every time that the clock shows, $more', async ({ cron, from, until, due, more }) => {
  const { schedule_id } = await make({ cron, time_zone: 'Europe/Berlin', overlap: 'allow_all', ...more });
  await handle(schedule_id).backfill([{ start: new Date(from), end: new Date(until), overlap: 'ALLOW_ALL' }]);
  await vi.waitFor(async () => expect((await handle(schedule_id).describe()).info.numActionsTaken).toBe(due.length), soon);
  const begun = () => firings(schedule_id).whereNot({ state: 'starting' });
  await vi.waitFor(async () => expect(await begun()).toHaveLength(due.length), soon);
  const rows = await begun();
  expect(rows.map((row) => row.due_at.toISOString().slice(11, 16)).toSorted()).toEqual(due);
  for (const { job_id } of rows) await end(job_id, 'succeeded');
});

test('the engine gets times anew before they run out, and those that it read as cron expressions at once', async () => {
  const { schedule_id } = await make({ cron: '30 2 * * *', time_zone: 'Europe/Berlin' });
  const row = () => t.ctx.db('schedules').where({ schedule_id }).first();
  await vi.waitFor(async () => expect((await row())?.planned_until).not.toBeNull(), soon);
  const inDays = async (): Promise<number> => ((await row())?.planned_until?.getTime() ?? 0) - Date.now();
  expect(await inDays()).toBeGreaterThan(renewDays * DAY_MS);
  expect(await syncSchedules(t.ctx)).toBe(0);
  for (const planned_until of [null, new Date(Date.now() + (renewDays - 1) * DAY_MS).toISOString()]) {
    await t.ctx.db('schedules').where({ schedule_id }).update({ planned_until });
    expect((await shown(schedule_id))?.in_effect).toBe(true);
    expect(await syncSchedules(t.ctx)).toBe(1);
    expect(await inDays()).toBeGreaterThan(renewDays * DAY_MS);
  }
});

test('failures are counted and shown until a run succeeds', async () => {
  const { schedule_id } = await make({ overlap: 'allow_all' });
  for (const n of [1, 2]) {
    const { job_id } = await runScheduleNow(ada, { schedule_id });
    await end(job_id, 'failed', { code: 'skill_failed', message: `no luck ${n}` });
    expect(await shown(schedule_id)).toMatchObject({ failures_in_a_row: n, last_error: { code: 'skill_failed', message: `no luck ${n}` }, paused: false });
  }
  const { job_id } = await runScheduleNow(ada, { schedule_id });
  await end(job_id, 'succeeded');
  await end(job_id, 'failed');
  expect(await shown(schedule_id)).toMatchObject({ failures_in_a_row: 0, last_error: null });
});

test('pause on failure: the next time does not come, in the engine too, until its owner resumes it', async () => {
  const { schedule_id } = await make({ pause_on_failure: true });
  await comeDue(schedule_id);
  const row = await firing(schedule_id);
  await end(row.job_id, 'failed', { code: 'skill_failed', message: 'no' });
  expect(await shown(schedule_id)).toMatchObject({ paused: true, paused_by: 'failure', next_times: [], failures_in_a_row: 1 });
  await vi.waitFor(async () => expect((await handle(schedule_id).describe()).state).toMatchObject({ paused: true, note: 'paused after a failure' }), soon);
  // One that slips through before the engine heard of it finds the row.
  const slipped = { schedule_id, firing_id: 'slipped', due_at: Date.now(), made_at: Date.now() };
  expect(await beginFiring(t.ctx, slipped)).toBeUndefined();
  expect(await updateSchedule(ada, { schedule_id, paused: false })).toMatchObject({ paused: false, paused_by: null });
  // A busy engine may take longer than the answer waits for it.
  await vi.waitFor(async () => expect(await shown(schedule_id)).toMatchObject({ in_effect: true }), soon);
  expect((await handle(schedule_id).describe()).state.paused).toBe(false);
});

test('an agent that was deleted, or whose name another has taken, fails visibly and is not called', async () => {
  const gone = await liveAgent(t.ctx, ada.actor.user_id);
  const { schedule_id } = await make({ target: { kind: 'skill', agent: gone.name, skill: 'greet', args: {} } });
  await t.ctx.db('agents').where({ agent_id: gone.id }).update({ deleted_at: new Date().toISOString(), live_deploy_id: null });
  await comeDue(schedule_id);
  const row = await firing(schedule_id);
  expect(row).toMatchObject({ state: 'failed', job_id: null });
  await vi.waitFor(async () => expect(await workflowOf(row.firing_id)).toBe('completed'), soon);
  expect(await shown(schedule_id)).toMatchObject({ failures_in_a_row: 1, last_error: { code: 'agent_deleted' } });
  await recordHistory(t.temporal, row.firing_id, 'scheduledRun.not-begun');
  await expect(runScheduleNow(ada, { schedule_id })).rejects.toMatchObject({ code: 'agent_deleted' });
});

test('cancel_other: the run under way is cancelled and the next one begins; skip leaves the second out', async () => {
  const { schedule_id } = await make({ overlap: 'cancel_other' });
  await comeDue(schedule_id, 'CANCEL_OTHER');
  const first = await firing(schedule_id);
  await nextSecond(first.started_at);
  await comeDue(schedule_id, 'CANCEL_OTHER');
  const requested = () => t.ctx.db('job_events').where('job_id', first.job_id).where({ kind: 'job.cancel_requested' });
  await vi.waitFor(async () => expect(await requested()).toHaveLength(1), soon);
  await end(first.job_id, 'cancelled');
  const second = await firing(schedule_id, 1);
  expect(second.job_id).not.toBe(first.job_id);
  expect(await workflowOf(first.firing_id)).toBe('cancelled');
  await recordHistory(t.temporal, first.firing_id, 'scheduledRun.cancelled');
  await end(second.job_id, 'succeeded');
  const skipping = (await make()).schedule_id;
  await comeDue(skipping);
  const only = await firing(skipping);
  await nextSecond(only.started_at);
  await comeDue(skipping);
  await vi.waitFor(async () => expect((await handle(skipping).describe()).info.numActionsSkippedOverlap).toBe(1), soon);
  expect(await firings(skipping)).toHaveLength(1);
  await end(only.job_id, 'succeeded');
});

test('what comes twice begins once, and a workflow that was not told finds out on its own', async () => {
  const { schedule_id } = await make();
  const due = { schedule_id, firing_id: `schedrun:${schedule_id}-again`, due_at: Date.now(), made_at: Date.now() };
  const states = await Promise.all([beginFiring(t.ctx, due), beginFiring(t.ctx, due), beginFiring(t.ctx, due)]);
  expect(states).toEqual(['running', 'running', 'running']);
  const [row, ...more] = await firings(schedule_id);
  expect(more).toEqual([]);
  expect(await t.ctx.db('jobs').where({ idempotency_key: due.firing_id })).toHaveLength(1);
  expect(await checkFiring(t.ctx, due.firing_id)).toBe(false);
  await transitionJob(t.ctx.db, row?.job_id ?? '', { from: openStates, to: 'failed', error: { code: 'lost', message: 'lost' } });
  expect(await checkFiring(t.ctx, due.firing_id)).toBe(true);
  expect(await checkFiring(t.ctx, due.firing_id)).toBe(true);
  expect(await shown(schedule_id)).toMatchObject({ failures_in_a_row: 1, last_error: { code: 'lost' } });
});

test('our worker was down for longer than the catch-up window: the time is missed, visibly, and is no failure', async () => {
  const { schedule_id } = await make({ catchup_window_seconds: 60 });
  const due = (firing_id: string, seconds: number) => beginFiring(t.ctx, { schedule_id, firing_id, due_at: Date.now(), made_at: Date.now() - seconds * 1000 });
  expect(await due('late', 61)).toBe('missed');
  expect(await shown(schedule_id)).toMatchObject({
    failures_in_a_row: 0,
    last_run: { state: 'missed', error: { code: 'missed' } },
    last_error: { code: 'missed' },
  });
  expect(await due('in time', 30)).toBe('running');
});

test('deleting ends nothing that is under way, and takes the calendar entry with it', async () => {
  const { schedule_id } = await make();
  await comeDue(schedule_id);
  const row = await firing(schedule_id);
  await removeSchedule(ada, { schedule_id });
  expect(await t.ctx.drivers.schedules.describe(engineIdOf(schedule_id))).toBeUndefined();
  expect(await shown(schedule_id)).toBeUndefined();
  expect(await workflowOf(row.firing_id)).toBe('running');
  expect(await t.ctx.db('jobs').where('job_id', row.job_id).first()).toMatchObject({ state: 'queued' });
  await end(row.job_id, 'succeeded');
  await vi.waitFor(async () => expect(await workflowOf(row.firing_id)).toBe('completed'), soon);
  await expect(updateSchedule(ada, { schedule_id, paused: true })).rejects.toMatchObject({ code: 'schedule_not_found' });
});

test('the rows are the truth: what is missing, changed by hand, or nobody’s in the engine is put right', async () => {
  const [missing, changed, kept] = [await make(), await make(), await make()];
  await handle(missing.schedule_id).delete();
  await handle(changed.schedule_id).pause('by hand');
  const orphan = engineIdOf(newId('sch'));
  const { schedule_id } = kept;
  const like = await t.ctx.drivers.schedules.describe(engineIdOf(schedule_id));
  await t.ctx.drivers.schedules.put({
    scheduleId: orphan,
    calendars: [{ months: [1], days: [1], hours: [0], minutes: [0] }],
    overlap: 'skip',
    catchupWindowSeconds: 60,
    jitterSeconds: 0,
    paused: true,
    note: '',
    workflow: { type: 'scheduledRun', workflowId: 'x', taskQueue: 'control', args: [], searchAttributes: { SvcKind: 'schedule', SvcOwner: 'usr_1' } },
  });
  await vi.waitFor(async () => expect(await t.ctx.drivers.schedules.list(orphan)).toEqual([orphan]), soon);
  const repaired = await reconcileSchedules(t.ctx);
  expect(repaired).toEqual({
    missing: [missing.schedule_id],
    changed: [changed.schedule_id],
    orphans: expect.arrayContaining([orphan.slice('sched:'.length)]),
  });
  expect((await handle(changed.schedule_id).describe()).state.paused).toBe(false);
  expect((await handle(missing.schedule_id).describe()).info.nextActionTimes).not.toEqual([]);
  expect(await t.ctx.drivers.schedules.describe(orphan)).toBeUndefined();
  expect(await t.ctx.drivers.schedules.describe(engineIdOf(schedule_id))).toEqual(like);
  expect(await reconcileSchedules(t.ctx)).toMatchObject({ missing: [], changed: [] });
});

test('changes made at once: the engine ends up with the newest', async () => {
  const { schedule_id } = await make();
  await Promise.all([5, 6, 7, 8, 9].map((hour) => updateSchedule(ada, { schedule_id, cron: `0 ${hour} * * *` })));
  const row = await vi.waitFor(async () => {
    // As the worker does every two seconds.
    await syncSchedules(t.ctx);
    const found = await shown(schedule_id);
    // Its times come from the engine; a reader does not wait for a slow one.
    expect(found).toMatchObject({ sync_error: null, in_effect: true, next_times: expect.any(Array) });
    return found;
  }, soon);
  const hour = Number(row?.cron.split(' ')[1]);
  expect(row?.next_times?.length).toBeGreaterThan(0);
  expect(new Set(row?.next_times?.map((at) => new Date(at).getUTCHours()))).toEqual(new Set([hour]));
});

test('while the engine is down a change is kept, said to be so, and told later', async () => {
  const nowhere = await testContext();
  const eve = await nowhere.user('eve');
  const hers = await liveAgent(nowhere.ctx, eve.actor.user_id);
  const made = await createSchedule(eve, {
    cron: yearly,
    time_zone: 'UTC',
    skipped_times: 'run_after',
    repeated_times: 'once',
    overlap: 'skip',
    catchup_window_seconds: 60,
    jitter_seconds: 0,
    pause_on_failure: false,
    paused: false,
    target: { kind: 'skill', agent: hers.name, skill: 'greet', args: {} },
  });
  expect(made).toMatchObject({ in_effect: false, next_times: null });
  await nowhere.ctx.db('schedules').update({ sync_until: null });
  const back = { ...nowhere.ctx, drivers: { ...nowhere.ctx.drivers, schedules: t.ctx.drivers.schedules } };
  expect(await syncSchedules(back)).toBe(1);
  expect((await listSchedules({ ...eve, drivers: back.drivers }, { limit: 1 })).items[0]).toMatchObject({ in_effect: true, sync_error: null });
  await t.ctx.drivers.schedules.remove(engineIdOf(made.schedule_id));
  await nowhere.close();
});

test("an account's schedules are its own, counted, and checked when they are set", async () => {
  const ben = await t.user('ben');
  const { schedule_id } = await make({ paused: true });
  await expect(updateSchedule(ben, { schedule_id, paused: false })).rejects.toMatchObject({ name: 'NotFound' });
  await expect(runScheduleNow(ben, { schedule_id })).rejects.toMatchObject({ name: 'NotFound' });
  expect((await listSchedules(ben, { limit: 10 })).items).toEqual([]);
  await expect(make({ target: { kind: 'skill', agent: 'nobody-at-all', skill: 'greet', args: {} } })).rejects.toMatchObject({ code: 'agent_not_found' });
  await t.ctx
    .db('agents')
    .where({ agent_id: agent.id })
    .update({ skills: ['greet'] });
  await expect(make({ target: { kind: 'skill', agent: agent.name, skill: 'gret', args: {} } })).rejects.toMatchObject({ code: 'skill_not_found' });
  const row = await t.ctx.db('schedules').where({ schedule_id }).first();
  const copies = Array.from({ length: SETTINGS.schedules_per_account.default_value }, () => ({
    ...row,
    schedule_id: newId('sch'),
    owner_id: ben.actor.user_id,
    target: JSON.stringify(row?.target),
    last_error: null,
  }));
  await t.ctx.db('schedules').insert(
    copies.map((copy) => ({
      ...copy,
      title: 'x',
      cron: yearly,
      time_zone: 'UTC',
      skipped_times: 'run_after',
      repeated_times: 'once',
      overlap: 'skip',
      catchup_window_seconds: 60,
      jitter_seconds: 0,
      pause_on_failure: false,
      paused: true,
      paused_by: 'owner',
    })),
  );
  await expect(
    createSchedule(ben, {
      cron: yearly,
      time_zone: 'UTC',
      skipped_times: 'run_after',
      repeated_times: 'once',
      overlap: 'skip',
      catchup_window_seconds: 60,
      jitter_seconds: 0,
      pause_on_failure: false,
      paused: false,
      target: { kind: 'prompt', prompt: 'hi', thread_id: null },
    }),
  ).rejects.toMatchObject({ code: 'too_many_schedules' });
  await t.ctx.db('schedules').where({ owner_id: ben.actor.user_id }).delete();
  const pages = await listSchedules(ada, { limit: 2 });
  expect(pages.items).toHaveLength(2);
  expect((await listSchedules(ada, { limit: 2, cursor: pages.next_cursor ?? '' })).items.map((s) => s.schedule_id)).not.toContain(pages.items[0]?.schedule_id);
});

test('a prompt is a chat turn in its owner’s thread; one that starts nothing is a failure, since nobody is there to read it', async () => {
  const skills = [{ id: 'greet', name: 'Greet', description: 'Greets', input_schema: { type: 'object' }, output_schema: {} }];
  const greeter = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills } });
  const { thread_id } = await createThread(ada, { title: 'Mornings', handoffs: 'never' });
  const prompt = (text: string) => ({ kind: 'prompt' as const, prompt: text, thread_id });
  const { schedule_id } = await make({ target: prompt(`@${greeter.name}.greet {"name":"Ada"}`) });
  await comeDue(schedule_id);
  const row = await firing(schedule_id);
  expect(row).toMatchObject({ error: null, state: 'running', run_id: expect.any(String) });
  expect(await t.ctx.db('runs').where('run_id', row.run_id).first()).toMatchObject({ skill: 'greet', args: { name: 'Ada' }, thread_id });
  await end(row.job_id, 'succeeded');
  await vi.waitFor(async () => expect(await workflowOf(row.firing_id)).toBe('completed'), soon);
  expect(await t.ctx.db('chat_turns').where({ thread_id })).toMatchObject([{ job_id: row.job_id, state: 'succeeded' }]);
  const plan = await make({ target: prompt(`@${greeter.name}.greet {"name":"Ada"} then @${greeter.name}.greet {"name":"Ben"}`) });
  await expect(runScheduleNow(ada, { schedule_id: plan.schedule_id })).resolves.toMatchObject({ state: 'running' });
  const idle = await make({ target: prompt('what a fine morning it is') });
  const nothing = { schedule_id: idle.schedule_id, firing_id: `schedrun:${idle.schedule_id}-x`, due_at: Date.now(), made_at: Date.now() };
  expect(await beginFiring(t.ctx, nothing)).toBe('failed');
  expect(await shown(idle.schedule_id)).toMatchObject({ last_error: { code: 'prompt_starts_nothing' }, failures_in_a_row: 1 });
  const ben = await t.user('ben');
  const foreign = {
    cron: yearly,
    time_zone: 'UTC',
    skipped_times: 'run_after',
    repeated_times: 'once',
    overlap: 'skip',
    catchup_window_seconds: 60,
    jitter_seconds: 0,
    pause_on_failure: false,
    paused: false,
  } as const;
  await expect(createSchedule(ben, { ...foreign, target: prompt('hello') })).rejects.toMatchObject({ name: 'NotFound' });
});
