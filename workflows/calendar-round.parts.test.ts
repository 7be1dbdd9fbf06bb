// The platform's calendar on a real Temporal server: an entry is a schedule there, whose rounds run once and
// are tried until they succeed.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCalendarActivities } from '#activities/calendar.ts';
import { createDeployActivities } from '#activities/deploy.ts';
import { ensureCalendar } from '#core/jobs/calendar/ensure.ts';
import { type CalendarRound, DAY_SECONDS } from '#core/kernel/calendar.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';

let t: TestContext;
let stop: () => Promise<void>;
const rounds: string[] = [];
/** Attempts of `unsound` that fail yet. */
let failures = 0;

const entry = (name: string, run: CalendarRound['run'] = async () => void rounds.push(name)): CalendarRound => ({
  name,
  title: `the entry ${name}`,
  calendars: [{ hours: [3], minutes: [17] }],
  catchupWindowSeconds: DAY_SECONDS,
  run,
});
const sound = entry('sound');
const unsound = entry('unsound', async () => {
  rounds.push('unsound');
  failures -= 1;
  if (failures >= 0) throw new Error('the books do not agree');
});
const ensure = (...entries: CalendarRound[]) => ensureCalendar(t.ctx, entries);
const scheduleOf = ({ name }: CalendarRound) => t.temporal.schedule.getHandle(`svc:${name}`);
const viewOf = ({ name }: CalendarRound) => t.ctx.drivers.schedules.describe(`svc:${name}`);
const soon = { timeout: 30_000, interval: 50 };

/** The workflow that the schedule starts now. */
async function triggered(of: CalendarRound): Promise<string> {
  await scheduleOf(of).trigger();
  return vi.waitFor(async () => {
    const { info } = await scheduleOf(of).describe();
    const started = info.recentActions.at(-1)?.action.workflow.workflowId;
    if (started === undefined) throw new Error('nothing was started');
    return started;
  }, soon);
}

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createCalendarActivities(t.ctx, [sound, unsound]) };
  stop = await startTestWorkers(temporal, activities);
});
afterAll(async () => {
  await ensure();
  await stop();
  await t.close();
});

test('an entry is in the calendar once, however many workers start; one that is no longer named goes', async () => {
  await Promise.all([ensure(sound, unsound), ensure(sound, unsound)]);
  const before = await viewOf(sound);
  await ensure(sound);
  expect(await viewOf(sound)).toEqual(before);
  expect(before?.nextTimes.every((at) => at.getUTCHours() === 3)).toBe(true);
  expect(await viewOf(unsound)).toBeUndefined();
});

test('a definition that changed is put into the calendar; a pause by an operator stays', async () => {
  await ensure(sound);
  await scheduleOf(sound).pause();
  await ensure({ ...sound, calendars: [{ hours: [5], minutes: [17] }] });
  const { nextTimes = [], paused } = (await viewOf(sound)) ?? {};
  expect([nextTimes.every((at) => at.getUTCHours() === 5), paused]).toEqual([true, true]);
  await scheduleOf(sound).unpause();
});

test('a time that comes runs one round, and its workflow is found among those of the calendar', async () => {
  await ensure(sound);
  const workflowId = await triggered(sound);
  expect(workflowId).toMatch(/^calendar:sound-/);
  await t.temporal.workflow.getHandle(workflowId).result();
  expect(rounds.splice(0)).toEqual(['sound']);
  const { typedSearchAttributes, staticSummary } = await t.temporal.workflow.getHandle(workflowId).describe();
  expect(await staticSummary()).toBe('the entry sound');
  expect(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])).toEqual(expect.arrayContaining([['SvcKind', 'calendar'], ['SvcOwner', 'platform']])); // prettier-ignore
  await recordHistory(t.temporal, workflowId, 'calendarRound.ended');
});

test('a round that fails is tried again, and the next time waits for it', async () => {
  await ensure(unsound);
  failures = 2;
  const workflowId = await triggered(unsound);
  await t.temporal.workflow.getHandle(workflowId).result();
  expect(rounds.splice(0)).toEqual(['unsound', 'unsound', 'unsound']);
  expect((await scheduleOf(unsound).describe()).policies.overlap).toBe('SKIP');
  await recordHistory(t.temporal, workflowId, 'calendarRound.tried-again');
});

test('an entry that this worker does not know ends at once, and says so', async () => {
  const handle = await t.temporal.workflow.start('calendarRound', { taskQueue: 'control', workflowId: 'calendar:other', args: ['other'] });
  await expect(handle.result()).rejects.toMatchObject({ cause: { cause: { type: 'NoSuchEntry' } } });
});
