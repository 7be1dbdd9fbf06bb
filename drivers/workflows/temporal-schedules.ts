// Temporal Schedules. Every call is bounded.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CalendarSpec,
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  type ScheduleOptions,
} from '@temporalio/client';
import { defineSearchAttributeKey, type Priority, TypedSearchAttributes } from '@temporalio/common';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import { serverError, status } from './server-error.ts';
import { ScheduleRefused, type ScheduleView, type UtcCalendar, type WorkflowSchedule, type WorkflowSchedules } from './schedules.ts';

/** Of one try, and of all tries of a call. */
const tryMs = 10_000;
const callMs = 40_000;
const pageSize = 1000;

const policyOf = { skip: 'SKIP', buffer_one: 'BUFFER_ONE', allow_all: 'ALLOW_ALL', cancel_other: 'CANCEL_OTHER' } as const;

export function temporalSchedules(client: Client): WorkflowSchedules {
  const bounded = <T>(call: () => Promise<T>): Promise<T> => tried(() => client.withDeadline(Date.now() + tryMs, call));
  const handleOf = (scheduleId: string) => client.schedule.getHandle(scheduleId);
  const describe = async (scheduleId: string): Promise<ScheduleView | undefined> => {
    try {
      return viewOf(await bounded(() => handleOf(scheduleId).describe()));
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return undefined;
      throw error;
    }
  };
  const write = async (options: ScheduleOptions): Promise<void> => {
    const { scheduleId, memo: _, state, ...rest } = options;
    try {
      await bounded(() => handleOf(scheduleId).update(() => ({ ...rest, state: { ...state } })));
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
      await bounded(() => client.schedule.create(options));
    }
  };

  return {
    describe,
    put: async (schedule) => {
      const options = optionsOf(schedule);
      try {
        // Another process may create it between the two: then it exists and is changed.
        await write(options).catch((error: unknown) => (error instanceof ScheduleAlreadyRunning ? write(options) : Promise.reject(error)));
      } catch (error) {
        throw error instanceof TypeError ? new ScheduleRefused(error.message) : error;
      }
      const view = await describe(schedule.scheduleId);
      if (!view) throw new Error(`schedule ${schedule.scheduleId} was removed while it was written`);
      return view;
    },
    remove: async (scheduleId) => {
      try {
        await bounded(() => handleOf(scheduleId).delete());
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      }
    },
    list: async (prefix) => {
      const scheduleIds: string[] = [];
      await bounded(async () => {
        for await (const { scheduleId } of client.schedule.list({ pageSize })) if (scheduleId.startsWith(prefix)) scheduleIds.push(scheduleId);
      });
      return scheduleIds;
    },
  };
}

function optionsOf({ scheduleId, calendars, overlap, workflow, ...s }: WorkflowSchedule): ScheduleOptions {
  const attributes = Object.entries(workflow.searchAttributes).map(([name, value]) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value }));
  return {
    scheduleId,
    spec: { calendars: calendars.map(calendarOf), timezone: 'UTC', jitter: s.jitterSeconds * 1000 },
    policies: { overlap: policyOf[overlap], catchupWindow: s.catchupWindowSeconds * 1000, pauseOnFailure: false },
    state: { paused: s.paused, note: s.note },
    action: {
      type: 'startWorkflow',
      workflowType: workflow.type,
      workflowId: workflow.workflowId,
      taskQueue: workflow.taskQueue,
      args: workflow.args,
      typedSearchAttributes: new TypedSearchAttributes(attributes),
      ...(workflow.summary !== undefined && { staticSummary: workflow.summary }),
      ...fairly(workflow.searchAttributes.SvcOwner),
    },
  };
}

/**
 * As of other workflows (temporal.ts). The client sends it, although its type of this action does not have
 * it.
 */
function fairly(owner: string): { priority: Priority } {
  return { priority: { fairnessKey: owner } };
}

const MONTHS = ['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE', 'JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'] as const;

function calendarOf({ years, months, days, hours, minutes, seconds }: UtcCalendar): CalendarSpec {
  return {
    ...(years && { year: rangesOf(years) }),
    ...(months && { month: MONTHS.filter((_, index) => months.includes(index + 1)) }),
    dayOfMonth: days ? rangesOf(days) : '*',
    hour: hours ? rangesOf(hours) : '*',
    minute: minutes ? rangesOf(minutes) : '*',
    second: seconds ? rangesOf(seconds) : 0,
  };
}

/** In order, and short: what follows one another is one range. */
function rangesOf(numbers: readonly number[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number === last.end + 1) last.end = number;
    else ranges.push({ start: number, end: number });
  }
  return ranges;
}

function viewOf({ raw, info, state }: ScheduleDescription): ScheduleView {
  const plain: unknown = JSON.parse(JSON.stringify(raw.schedule));
  return { fingerprint: canonicalSha256(plain), nextTimes: info.nextActionTimes, paused: state.paused, note: state.note ?? '' };
}

/**
 * The server works on one request about a schedule at a time. It refuses those that come meanwhile, or leaves
 * them without an answer: they are sent again. Each call here may run twice: reads change nothing, `put`
 * writes the whole schedule, `remove` accepts that it is gone.
 */
async function tried<T>(call: () => Promise<T>): Promise<T> {
  const until = performance.now() + callMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(2_000, pauseMs * 2)) {
    try {
      return await call();
    } catch (error) {
      const code = serverError(error)?.code;
      if ((code !== status.RESOURCE_EXHAUSTED && code !== status.DEADLINE_EXCEEDED) || performance.now() + pauseMs > until) throw error;
      await delay(pauseMs * (0.5 + Math.random()));
    }
  }
}
