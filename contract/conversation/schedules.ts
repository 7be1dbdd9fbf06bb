// Work that starts by the calendar: a skill, or a prompt to the platform.
import { z } from 'zod';
import { MAX_VALUE_BYTES } from '../wire/limits.ts';
import { group, svcGroup } from '../kit.ts';
import { Fault, Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { AgentSlug, SkillName } from '../wire/names.ts';
import { cronFault } from './cron.ts';
import {
  FIRING_CAUSES,
  FIRING_STATES,
  SCHEDULE_CLOCK_CHANGES,
  SCHEDULE_OVERLAPS,
  SCHEDULE_PAUSERS,
  SCHEDULE_REPEATED_TIMES,
  SCHEDULE_SKIPPED_TIMES,
} from '../states.ts';
import { TimeZone } from '../wire/time-zone.ts';

export const Cron = z
  .string()
  .min(1)
  .max(200)
  .check((at) => {
    const fault = cronFault(at.value);
    if (fault !== undefined) at.issues.push({ code: 'custom', message: fault, input: at.value });
  })
  .meta({
    format: 'cron',
    description:
      'Five fields: minute, hour, day of month, month, day of week; names, ranges, lists and steps as in crontab. With both days restricted, either is enough. Days of the month: L is the last day, 15W the weekday nearest to the 15th, LW the last weekday. Days of the week: mon#2 is the second Monday of the month, friL the last Friday.',
    examples: ['30 9 * * mon-fri'],
  });

const ScheduleZone = TimeZone.meta({
  description:
    'IANA name. Local clock times count. Every time that the clock shows runs; for those that it skips or shows twice when it is set see skipped_times and repeated_times. A schedule that names every hour of the day is an interval: nothing is added to it or left out of it then.',
});

const SkillTarget = z
  .strictObject({
    kind: z.literal('skill'),
    agent: AgentSlug,
    skill: SkillName,
    args: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: 'SkillTarget' });
export const PromptTarget = z
  .strictObject({
    kind: z.literal('prompt'),
    prompt: z.string().min(1).max(10_000),
    thread_id: z.string().max(64).nullable().default(null).meta({ description: 'The thread of the turns; null: a new thread each time.' }),
  })
  .meta({ id: 'PromptTarget' });
export const ScheduleTarget = z.discriminatedUnion('kind', [SkillTarget, PromptTarget]).meta({
  id: 'ScheduleTarget',
  examples: [{ kind: 'skill', agent: 'text-kit', skill: 'slugify', args: { text: 'Good morning' } }],
});
export type ScheduleTarget = z.infer<typeof ScheduleTarget>;

const Overlap = z.enum(SCHEDULE_OVERLAPS).meta({
  description:
    'While the run before is still under way: skip leaves this time out · buffer_one runs once after it · allow_all runs beside it · cancel_other cancels it first.',
});
const catchupWindow = z
  .int()
  .min(10)
  .max(31_536_000)
  .meta({ description: 'A time missed because the platform was down is made up for when it is back within this many seconds; later it is left out.' });
const jitter = z.int().min(0).max(3600).meta({ description: 'Each time is delayed by up to this many seconds, so that schedules do not all start at once.' });
const SkippedTimes = z.enum(SCHEDULE_SKIPPED_TIMES).meta({
  description:
    'Times that the clock skips when it is set forward (02:30 where 02:00 becomes 03:00): run_after runs once at the first minute after · leave_out does not run that day.',
});
const RepeatedTimes = z.enum(SCHEDULE_REPEATED_TIMES).meta({
  description: 'Times that the clock shows twice when it is set back: once runs at the first · twice runs at both.',
});
const title = trimmedText(200);
const pauseOnFailure = z.boolean().meta({ description: 'A run that fails pauses the schedule until its owner has looked.' });

export const ScheduleIn = z
  .strictObject({
    title: title.optional().meta({ description: 'Default: what is run.' }),
    cron: Cron,
    time_zone: ScheduleZone.default('UTC'),
    skipped_times: SkippedTimes.default('run_after'),
    repeated_times: RepeatedTimes.default('once'),
    overlap: Overlap.default('skip'),
    catchup_window_seconds: catchupWindow.default(3600),
    jitter_seconds: jitter.default(0),
    pause_on_failure: pauseOnFailure.default(false),
    paused: z.boolean().default(false),
    target: ScheduleTarget,
  })
  .meta({ id: 'ScheduleIn' });
export type ScheduleIn = z.infer<typeof ScheduleIn>;

export const SchedulePatchIn = z
  .strictObject({
    title: title.optional(),
    cron: Cron.optional(),
    time_zone: ScheduleZone.optional(),
    skipped_times: SkippedTimes.optional(),
    repeated_times: RepeatedTimes.optional(),
    overlap: Overlap.optional(),
    catchup_window_seconds: catchupWindow.optional(),
    jitter_seconds: jitter.optional(),
    pause_on_failure: pauseOnFailure.optional(),
    paused: z.boolean().optional(),
    target: ScheduleTarget.optional(),
  })
  .meta({ id: 'SchedulePatchIn', description: 'What is left out stays as it is.' });

export const FiringOut = z
  .strictObject({
    cause: z.enum(FIRING_CAUSES),
    due_at: Instant,
    state: z.enum(FIRING_STATES).meta({ description: 'missed: the platform was down for longer than the catch-up window.' }),
    job_id: z.string().nullable(),
    run_id: z.string().nullable(),
    error: Fault.nullable(),
    started_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'FiringOut', description: 'One time that a schedule came due or was run by hand.' });

export const ClockChangeOut = z
  .strictObject({
    kind: z
      .enum(SCHEDULE_CLOCK_CHANGES)
      .meta({ description: 'skipped: the clock is set forward over times of the schedule · repeated: it is set back and shows them twice.' }),
    at: Instant.meta({ description: 'When the clock is set.' }),
    local_time: z.string().meta({ description: 'The first such time on the clock of the zone: YYYY-MM-DDTHH:MM.', examples: ['2027-03-28T02:30'] }),
    count: z.int().min(1).meta({ description: 'How many such times there are.' }),
    runs_at: z.array(Instant).meta({ description: 'When the first of them runs all the same; none: it is left out.' }),
  })
  .meta({ id: 'ClockChangeOut', description: 'Times of a schedule that the clock skips or shows twice, and what becomes of them.' });
const clockChanges = z
  .array(ClockChangeOut)
  .meta({ description: 'Clock changes of the next 400 days. Empty also for a schedule that names every hour of the day.' });

export const SchedulePreviewOut = z
  .strictObject({
    next_times: z.array(Instant).meta({ description: 'Without jitter.' }),
    clock_changes: clockChanges,
  })
  .meta({ id: 'SchedulePreviewOut' });

export const ScheduleOut = z
  .strictObject({
    schedule_id: z.string(),
    title: z.string(),
    cron: z.string(),
    time_zone: z.string(),
    skipped_times: SkippedTimes,
    repeated_times: RepeatedTimes,
    overlap: Overlap,
    catchup_window_seconds: z.int(),
    jitter_seconds: z.int(),
    pause_on_failure: z.boolean(),
    paused: z.boolean(),
    paused_by: z.enum(SCHEDULE_PAUSERS).nullable(),
    target: ScheduleTarget,
    next_times: z
      .array(Instant)
      .nullable()
      .meta({ description: 'As the scheduler computes them, jitter included; none while paused. Null: the scheduler could not be asked just now.' }),
    clock_changes: clockChanges,
    last_run: FiringOut.nullable(),
    last_error: Fault.nullable().meta({ description: 'Error of the last run that failed; removed when the next run succeeds.' }),
    failures_in_a_row: z.int().min(0),
    in_effect: z.boolean().meta({ description: 'The scheduler has taken the last change.' }),
    sync_error: z.string().nullable().meta({ description: 'Why it has not.' }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'ScheduleOut' });

const ScheduleListOut = z.strictObject({ items: z.array(ScheduleOut), next_cursor: nextCursor }).meta({ id: 'ScheduleListOut' });

const schedule = z.object({ schedule_id: z.string().regex(/^sch_[0-9a-f-]{36}$/, 'is not a schedule id') });

export const schedules = group({
  list: {
    at: 'GET /v1/me/schedules',
    summary: "The account's schedules, newest first, with their next times and their last run",
    scope: 'account',
    query: pageQuery(20, 100),
    out: ScheduleListOut,
    errors: [400, 401, 403],
  },
  create: {
    at: 'POST /v1/me/schedules',
    summary: 'Run a skill, or take a chat turn, by the calendar',
    scope: 'account',
    bodyBytes: MAX_VALUE_BYTES,
    body: ScheduleIn,
    out: ScheduleOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  update: {
    at: 'PATCH /v1/me/schedules/{schedule_id}',
    summary: 'Change, pause or resume a schedule',
    scope: 'account',
    params: schedule,
    bodyBytes: MAX_VALUE_BYTES,
    body: SchedulePatchIn,
    out: ScheduleOut,
    errors: [401, 403, 404],
  },
  remove: {
    at: 'DELETE /v1/me/schedules/{schedule_id}',
    summary: 'Delete a schedule; runs in progress continue',
    scope: 'account',
    params: schedule,
    status: 204,
    errors: [401, 403, 404],
  },
  run: {
    at: 'POST /v1/me/schedules/{schedule_id}/run',
    summary: 'Run it now, also while it is paused or another run of it is under way',
    description: 'The run counts like any other: its failure shows on the schedule, and pauses it if the schedule is set to.',
    scope: 'account',
    params: schedule,
    out: FiringOut,
    status: 202,
    errors: [400, 401, 402, 403, 404, 409],
  },
});

export const schedulePreviews = svcGroup({
  preview: {
    at: 'GET /v1/me/schedules/preview',
    summary: 'Preview when a schedule would run, without creating it',
    scope: 'account',
    query: z.strictObject({
      cron: Cron,
      time_zone: ScheduleZone.default('UTC'),
      skipped_times: SkippedTimes.default('run_after'),
      repeated_times: RepeatedTimes.default('once'),
      after: z.iso
        .datetime({ offset: true })
        .refine((at) => Date.parse(at) >= Date.UTC(1970, 0, 1) && Date.parse(at) < Date.UTC(2100, 0, 1), 'use a time from 1970 to 2099')
        .optional()
        .meta({ description: 'From 1970 to 2099. Default: now.' }),
      count: z.coerce.number().int().min(1).max(50).default(10),
    }),
    out: SchedulePreviewOut,
    errors: [401, 403],
  },
});
