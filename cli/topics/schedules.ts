// What runs by the calendar.
import { Option } from 'clipanion';
import { SchedulePatchIn, schedulePreviews } from '#contract/conversation/schedules.ts';
import { integer } from '../lib/api-command.ts';
import { SchedulesCreateCommand } from '../commands/schedules/create.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { table } from '../lib/output.ts';
import { clockNotes, repeatedTimesOption, skippedTimesOption, usageError } from '../schedules/clock.ts';
import { MAX_SCHEDULES, scheduleId, scheduleNotes, scheduleTable } from '../schedules/schedules.ts';

const BY_ID_OR_TITLE = 'SCHEDULE is its id, or its title where only one has it.';

const minute = (instant: string): string => instant.slice(0, 16).replace('T', ' ');

const nextOf = ({ next_times: next }: { next_times: string[] | null }): string => (next?.[0] === undefined ? '' : `; next, in UTC: ${minute(next[0])}`);

export const commands = [
  command('schedules list', {
    about: 'list your schedules, with next times, last runs and failures',
    examples: [['All of them', 'svc schedules list']],
    route: 'schedules.list',
    rows: () => MAX_SCHEDULES,
    json: ({ items }) => items,
    lines: ({ items }) => (items.length === 0 ? [] : scheduleTable(items)),
    empty: () => 'No schedules. Make one with: svc schedules create "0 9 * * mon-fri" AGENT TOOL',
    hint: ({ items }) => items.flatMap(scheduleNotes).join('\n') || undefined,
  }),
  SchedulesCreateCommand,
  command('schedules preview', {
    about: 'show when a schedule would run, without creating it',
    details: 'CRON and options as in svc schedules create. It also shows what happens to times that the clock skips or shows twice within 400 days.',
    examples: [
      ['The second Monday of each month', 'svc schedules preview "0 9 * * mon#2"'],
      ['At night, where clocks are set', 'svc schedules preview "30 2 * * *" --zone Europe/Berlin'],
    ],
    arguments: { cron: 'CRON' },
    options: () => ({
      zone: Option.String('--zone', { description: 'time zone, e.g. Europe/Berlin or UTC' }),
      skippedTimes: skippedTimesOption(),
      repeatedTimes: repeatedTimesOption(),
      after: Option.String('--after', { description: 'from this time on, such as 2027-03-27T00:00:00Z (default: now)' }),
      limit: Option.String('--limit', '10', { description: 'how many times to show, up to 50' }),
    }),
    lookup: ({ cron, zone, skippedTimes, repeatedTimes, after, limit }) => {
      const query = schedulePreviews.preview.query.safeParse({
        cron,
        time_zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
        skipped_times: skippedTimes,
        repeated_times: repeatedTimes,
        after,
        count: integer('--limit', limit, { min: 1, max: 50 }),
      });
      if (!query.success) throw usageError(query.error);
      return { query: query.data };
    },
    route: 'schedules.preview',
    send: ({ query }) => ({ query }),
    lines: ({ next_times }, { query: { time_zone: timeZone } }) => {
      // Sweden writes dates as ISO 8601 does.
      const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
      return table(
        [timeZone.toUpperCase(), 'UTC'],
        next_times.map((at) => [clock.format(Date.parse(at)), minute(at)]),
      );
    },
    hint: ({ clock_changes }, { query }) => clockNotes(clock_changes, query.time_zone).join('\n') || undefined,
  }),
  command('schedules update', {
    about: 'change when a schedule runs',
    details: `${BY_ID_OR_TITLE} What is not named stays as it is.`,
    examples: [['Run both times when the clock is set back', 'svc schedules update "weekly report" --repeated-times twice']],
    arguments: { schedule: 'SCHEDULE' },
    options: () => ({
      cron: Option.String('--cron', { description: 'as in svc schedules create' }),
      zone: Option.String('--zone', { description: 'time zone, e.g. Europe/Berlin or UTC' }),
      skippedTimes: skippedTimesOption(),
      repeatedTimes: repeatedTimesOption(),
    }),
    route: 'schedules.update',
    send: async ({ schedule, cron, zone, skippedTimes, repeatedTimes }, { client }) => {
      const named = { cron, time_zone: zone, skipped_times: skippedTimes, repeated_times: repeatedTimes };
      const changes = Object.entries(named).filter(([, value]) => value !== undefined);
      if (changes.length === 0) throw new UsageError('Nothing to change: give --cron, --zone, --skipped-times or --repeated-times.');
      const body = SchedulePatchIn.safeParse(Object.fromEntries(changes));
      if (!body.success) throw usageError(body.error);
      return { params: { schedule_id: await scheduleId(client, schedule) }, body: body.data };
    },
    hint: (schedule) =>
      [
        `Changed "${schedule.title}" (${schedule.cron}, ${schedule.time_zone})${nextOf(schedule)}`,
        ...clockNotes(schedule.clock_changes, schedule.time_zone),
      ].join('\n'),
  }),
  command('schedules run', {
    about: 'run a schedule now, also while it is paused',
    details: `${BY_ID_OR_TITLE} Prints the id of the run, where there is one already.`,
    examples: [['By its title', 'svc schedules run "weekly report"']],
    arguments: { schedule: 'SCHEDULE' },
    route: 'schedules.run',
    send: async ({ schedule }, { client }) => ({ params: { schedule_id: await scheduleId(client, schedule) } }),
    lines: ({ run_id }) => (run_id === null ? [] : [run_id]),
    hint: ({ run_id }) => (run_id === null ? 'It is being started. See it with: svc runs' : `Started. See it with: svc logs --run ${run_id} --follow`),
  }),
  command('schedules pause', {
    about: 'pause a schedule',
    details: BY_ID_OR_TITLE,
    examples: [['By its title', 'svc schedules pause "weekly report"']],
    arguments: { schedule: 'SCHEDULE' },
    route: 'schedules.update',
    send: async ({ schedule }, { client }) => ({ params: { schedule_id: await scheduleId(client, schedule) }, body: { paused: true } }),
    hint: ({ title }) => `Paused. Resume it with: svc schedules resume "${title}"`,
  }),
  command('schedules resume', {
    about: 'resume a paused schedule',
    details: BY_ID_OR_TITLE,
    examples: [['By its title', 'svc schedules resume "weekly report"']],
    arguments: { schedule: 'SCHEDULE' },
    route: 'schedules.update',
    send: async ({ schedule }, { client }) => ({ params: { schedule_id: await scheduleId(client, schedule) }, body: { paused: false } }),
    hint: (schedule) => `Resumed${nextOf(schedule)}.`,
  }),
  command('schedules delete', {
    about: 'delete a schedule; runs in progress continue',
    details: BY_ID_OR_TITLE,
    examples: [['By its title', 'svc schedules delete "weekly report"']],
    arguments: { schedule: 'SCHEDULE' },
    lookup: async ({ schedule }, { client }) => ({ schedule_id: await scheduleId(client, schedule) }),
    route: 'schedules.remove',
    send: ({ schedule_id }) => ({ params: { schedule_id } }),
    json: (_, { schedule_id }) => ({ schedule_id, deleted: true }),
    hint: () => 'Deleted.',
  }),
];
