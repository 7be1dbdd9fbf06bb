// What Temporal's calendar really does: when the clocks change, and after the server was down over the due time.
import { mkdtemp, rm } from 'node:fs/promises';
import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseCron, plainCrons } from '#contract/runs/cron.ts';
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
  crons: ['0 0 1 1 *'],
  timeZone: 'UTC',
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

/** The nth (from 0; -1: the last) Sunday of a month of next year, as its day. */
const year = new Date().getUTCFullYear() + 1;
function sunday(month: number, nth: number): number {
  const days = Array.from({ length: 31 }, (_, n) => n + 1).filter((day) => {
    const date = new Date(Date.UTC(year, month - 1, day));
    return date.getUTCMonth() === month - 1 && date.getUTCDay() === 0;
  });
  return days.at(nth) ?? 0;
}
const nextTimes = async (id: string, timeZone: string, crons: string[]): Promise<string[]> => {
  const { nextTimes: times } = await schedules.put(schedule(id, { timeZone, crons }));
  return times.map((at) => at.toISOString()).filter((at) => at.startsWith(String(year)));
};
const iso = (month: number, day: number, hour: number): string => new Date(Date.UTC(year, month - 1, day, hour, 30)).toISOString();

test.each([
  { zone: 'Europe/Berlin', month: 3, day: sunday(3, -1), winter: -1, summer: -2 },
  { zone: 'America/New_York', month: 3, day: sunday(3, 1), winter: 5, summer: 4 },
])('spring in $zone: the day without a 02:30 has none, the others keep their clock', async ({ zone, month, day, winter, summer }) => {
  const times = await nextTimes(`spring-${month}-${day}`, zone, [`30 2 ${day - 1},${day},${day + 1 > 31 ? 1 : day + 1} ${month} *`]);
  const expected = [iso(month, day - 1, 2 + winter)];
  expect(times.slice(0, 1)).toEqual(expected);
  expect(times).not.toContain(iso(month, day, 2 + winter));
  expect(times).not.toContain(iso(month, day, 2 + summer));
  if (day + 1 <= 31) expect(times).toContain(iso(month, day + 1, 2 + summer));
});

test('autumn: a time that the clocks show twice comes once east of Greenwich, in winter time, and twice west of it', async () => {
  const [october, november] = [sunday(10, -1), sunday(11, 0)];
  expect(await nextTimes('autumn-berlin', 'Europe/Berlin', [`30 2 ${october} 10 *`])).toEqual([iso(10, october, 1)]);
  expect(await nextTimes('autumn-york', 'America/New_York', [`30 1 ${november} 11 *`])).toEqual([iso(11, november, 5), iso(11, november, 6)]);
});

test('autumn: of what comes in some hours, the repeated hour is left out east of Greenwich', async () => {
  const [october, november] = [sunday(10, -1), sunday(11, 0)];
  expect(await nextTimes('hourly-berlin', 'Europe/Berlin', [`30 1-3 ${october} 10 *`])).toEqual([
    iso(10, october, -1),
    iso(10, october, 0),
    iso(10, october, 2),
  ]);
  expect(await nextTimes('hourly-york', 'America/New_York', [`30 0-2 ${november} 11 *`])).toEqual([4, 5, 6, 7].map((hour) => iso(11, november, hour)));
});

test('either kind of day will do where both are restricted, and nothing comes twice', async () => {
  const times = await nextTimes('either', 'UTC', plainCrons(parseCron('30 6 1 1 mon')));
  const mondays = Array.from({ length: 31 }, (_, n) => n + 1).filter((day) => new Date(Date.UTC(year, 0, day)).getUTCDay() === 1);
  expect(times).toEqual([...new Set([1, ...mondays])].sort((a, b) => a - b).map((day) => iso(1, day, 6)));
});

test('what the server does not know is refused for good; what is written again is the same; removing twice is fine', async () => {
  await expect(schedules.put(schedule('nowhere', { timeZone: 'Mars/Olympus' }))).rejects.toThrow(ScheduleRefused);
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
  const everyThreeSeconds = ['*/3 * * * * * *'];
  await schedules.put(schedule('short', { crons: everyThreeSeconds, catchupWindowSeconds: 10 }));
  await schedules.put(schedule('long', { crons: everyThreeSeconds, catchupWindowSeconds: 3600 }));
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
}, 120_000);
