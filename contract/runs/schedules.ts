// Work that starts by the calendar: a skill, or a prompt to the platform.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Fault, Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { AgentSlug, SkillName } from '../wire/names.ts';
import { cronFault } from './cron.ts';
import { FIRING_CAUSES, FIRING_STATES, SCHEDULE_OVERLAPS, SCHEDULE_PAUSERS } from '../states.ts';
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
      'Five fields: minute, hour, day of month, month, day of week; names, ranges, lists and steps as in crontab. With both days restricted, either one will do.',
    examples: ['30 9 * * mon-fri'],
  });

const ScheduleZone = TimeZone.meta({
  description:
    'IANA name. Local clock times count: a time that the change to summer time skips does not occur that day; a time that the change back repeats occurs once or, west of Greenwich, twice: see next_times. A schedule for every hour of every day keeps even intervals.',
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
const title = trimmedText(200);
const pauseOnFailure = z.boolean().meta({ description: 'A run that fails pauses the schedule until its owner has looked.' });

export const ScheduleIn = z
  .strictObject({
    title: title.optional().meta({ description: 'Default: what is run.' }),
    cron: Cron,
    time_zone: ScheduleZone.default('UTC'),
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

export const ScheduleOut = z
  .strictObject({
    schedule_id: z.string(),
    title: z.string(),
    cron: z.string(),
    time_zone: z.string(),
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
    last_run: FiringOut.nullable(),
    last_error: Fault.nullable().meta({ description: 'Of the last run that failed; gone with the next that succeeds.' }),
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
