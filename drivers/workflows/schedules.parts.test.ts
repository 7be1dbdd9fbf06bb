// What Temporal really does with our calendars: when the clocks change, and after the server was down over
// the due time.
import { mkdtemp, rm } from 'node:fs/promises';
import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseCron } from '#contract/conversation/cron.ts';
import { clockChanges, firstDue } from '#contract/conversation/due-times.ts';
import { plannedCalendars } from '#core/conversation/schedule/plan.ts';
import { accepts, freePort } from '#stack/ports.ts';
import { identify, type Identity, stopProcess } from '#stack/process.ts';
import { start } from '#stack/program.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { installTemporal } from '#stack/setup/temporal-binary.mjs';
import { devServer, devServerNamespace } from '#stack/temporal.ts';
import { ScheduleRefused, type WorkflowSchedule } from './schedules.ts';
import { temporalSchedules } from './temporal-schedules.ts';
import { temporalWorkflows } from './temporal.ts';

let dir: string;
let port: number;
let server: Identity;
let workflows: ReturnType<typeof temporalWorkflows>;
let schedules: ReturnType<typeof temporalSchedules>;

async function startServer(): Promise<void> {
  const binary = await installTemporal(process.env, cacheFolder(process.env));
  const log = openSync(join(dir, 'temporal.log'), 'a');
  const child = await start(devServer({ binary, port, databaseFile: join(dir, 'temporal.db') }), ['ignore', log, log]);
  const identity = identify(child.pid);
  if (!identity) throw new Error('Temporal ended at once');
  server = identity;
  await vi.waitFor(async () => expect(await accepts('127.0.0.1', port)).toBe(true), { timeout: 20_000, interval: 50 });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-calendar-'));
  port = await freePort();
  await startServer();
  workflows = temporalWorkflows({ address: `127.0.0.1:${port}`, namespace: devServerNamespace() });
  await vi.waitFor(() => workflows.ping(), { timeout: 20_000, interval: 100 });
  schedules = temporalSchedules(workflows.client);
});
afterAll(async () => {
  await workflows.close();
  await stopProcess(server, 'SIGKILL', 5_000);
  await rm(dir, { recursive: true, force: true });
});

const schedule = (scheduleId: string, more: Partial<WorkflowSchedule>): WorkflowSchedule => ({
  scheduleId,
  calendars: [{ months: [1], days: [1], hours: [0], minutes: [0] }],
  overlap: 'allow_all',
  catchupWindowSeconds: 60,
  jitterSeconds: 0,
  paused: false,
  note: '',
  workflow: {
    type: 'scheduledRun',
    workflowId: `run-of-${scheduleId}`,
    taskQueue: 'nobody',
    args: [],
    searchAttributes: { SvcKind: 'schedule', SvcOwner: 'usr_1' },
  },
  ...more,
});

const now = Date.now();
const year = new Date(now).getUTCFullYear() + 1;

// The dates are those of the clock's changes next year, wherever they fall: the schedule comes on no other
// days.
test.each([
  ['*/30 2-5', 'Europe/Berlin', '3-4'],
  ['30 2', 'Europe/Berlin', '10-11'],
  ['30 2', 'America/New_York', '3-4'],
  ['30 1', 'America/New_York', '11'],
  ['15 2', 'Australia/Lord_Howe', '9-10'],
  ['45 1', 'Australia/Lord_Howe', '4'],
  ['30 1', 'Antarctica/Troll', '3-4'],
  ['0 0', 'America/Santiago', '9'],
  ['5 3', 'Pacific/Chatham', '9-10'],
])('%s in %s: the engine names the same times as we do around a change of the clock', async (times, timeZone, months) => {
  const all = { cron: parseCron(`${times} * * *`), timeZone, skippedTimes: 'run_after', repeatedTimes: 'once' } as const;
  const set = [...clockChanges(all, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1))].map(({ clock }) => new Date(clock));
  const [first = 0, last = first] = months.split('-').map(Number);
  const on = set.find((date) => date.getUTCMonth() + 1 >= first && date.getUTCMonth() + 1 <= last);
  if (!on) throw new Error(`${timeZone} does not set its clock in ${months}`);
  for (const more of [{}, { skippedTimes: 'leave_out', repeatedTimes: 'twice' } as const]) {
    const rule = { ...all, cron: parseCron(`${times} ${on.getUTCDate()} ${on.getUTCMonth() + 1} *`), ...more };
    const { nextTimes } = await schedules.put(schedule(`clock-${first}-${timeZone.replace('/', '-')}`, { calendars: plannedCalendars(rule, now) }));
    const ours = firstDue(rule, now, nextTimes.length);
    expect(nextTimes.length).toBeGreaterThan(0);
    expect(nextTimes.map((at) => at.toISOString())).toEqual(ours.map((at) => new Date(at).toISOString()));
  }
});

test.each(['0 9 * * mon#2', '0 9 15W * *', '30 17 LW * *', '0 0 29 2 *', '30 6 1 1 mon', '*/7 1-23 * * mon,fri#2'])(
  '%s: the engine takes all of it',
  async (cron) => {
    const rule = { cron: parseCron(cron), timeZone: 'America/St_Johns', skippedTimes: 'run_after', repeatedTimes: 'once' } as const;
    const { nextTimes } = await schedules.put(schedule('days', { calendars: plannedCalendars(rule, now) }));
    expect(nextTimes.map(Number)).toEqual(firstDue(rule, now, nextTimes.length));
    expect(nextTimes.length).toBeGreaterThan(1);
  },
);

test('what the server does not know is refused for good; what is written again is the same; removing twice is fine', async () => {
  await expect(schedules.put(schedule('nowhere', { calendars: [{ hours: [99] }] }))).rejects.toThrow(ScheduleRefused);
  const one = await schedules.put(schedule('same', {}));
  expect(await schedules.put(schedule('same', {}))).toEqual(one);
  expect((await schedules.put(schedule('same', { paused: true }))).fingerprint).not.toBe(one.fingerprint);
  await schedules.remove('same');
  await schedules.remove('same');
  expect(await schedules.describe('same')).toBeUndefined();
});

test('asked by many at once it answers all of them: the server itself answers one at a time', async () => {
  await schedules.put(schedule('busy', {}));
  for (let round = 0; round < 5; round += 1) {
    const views = await Promise.all(Array.from({ length: 12 }, () => schedules.describe('busy')));
    expect(new Set(views.map((view) => view?.fingerprint)).size).toBe(1);
  }
});

test('down over the due times: those within the catch-up window are made up for, older ones are left out', async () => {
  // With seconds, which our cron does not have, so that the test need not wait for minutes.
  const everyThreeSeconds = [{ seconds: Array.from({ length: 20 }, (_, n) => 3 * n) }];
  await schedules.put(schedule('short', { calendars: everyThreeSeconds, catchupWindowSeconds: 10 }));
  await schedules.put(schedule('long', { calendars: everyThreeSeconds, catchupWindowSeconds: 3600 }));
  const infoOf = async (id: string) => (await workflows.client.schedule.getHandle(id).describe()).info;
  await vi.waitFor(async () => expect((await infoOf('long')).numActionsTaken).toBeGreaterThan(0), { timeout: 20_000, interval: 200 });
  await stopProcess(server, 'SIGKILL', 5_000);
  const downAt = Date.now();
  // Two due times are older than the shorter window.
  await vi.waitFor(() => expect(Date.now() - downAt).toBeGreaterThan(16_000), { interval: 100 });
  await startServer();
  const upAt = Date.now();
  const during = (times: Date[]): number => times.filter((at) => at.getTime() > downAt && at.getTime() < upAt).length;
  await vi.waitFor(async () => expect((await infoOf('short')).numActionsMissedCatchupWindow).toBeGreaterThan(0), { timeout: 40_000, interval: 200 });
  const due = Math.floor((upAt - downAt) / 3000);
  const short = await infoOf('short');
  await vi.waitFor(async () => expect((await infoOf('long')).numActionsTaken).toBeGreaterThanOrEqual(due), { timeout: 40_000, interval: 200 });
  const long = await infoOf('long');
  expect(long.numActionsMissedCatchupWindow).toBe(0);
  // The rest of them came within the last ten seconds.
  expect(short.numActionsMissedCatchupWindow).toBeGreaterThanOrEqual(Math.max(1, due - 5));
  expect(short.numActionsMissedCatchupWindow).toBeLessThan(due + 1);
  const made = long.recentActions.map(({ scheduledAt }) => scheduledAt);
  expect(during(made)).toBeGreaterThan(0);
  await Promise.all([schedules.remove('short'), schedules.remove('long')]);
});
