// What the form of a schedule holds, and what is sent of it. Pure.
import { cronFault } from '#contract/conversation/cron.ts';
import type { SCHEDULE_OVERLAPS, SCHEDULE_REPEATED_TIMES, SCHEDULE_SKIPPED_TIMES } from '#contract/states.ts';
import type { Input } from '../../api/client.ts';
import type { Item } from '../../api/query.ts';

export type Schedule = Item<'schedules', 'list'>;
export type ScheduleBody = Input<'schedules', 'create'>['body'];
export type Overlap = (typeof SCHEDULE_OVERLAPS)[number];

export interface FormValue {
  title: string;
  cron: string;
  timeZone: string;
  skippedTimes: (typeof SCHEDULE_SKIPPED_TIMES)[number];
  repeatedTimes: (typeof SCHEDULE_REPEATED_TIMES)[number];
  overlap: Overlap;
  catchup: number;
  jitter: number;
  pauseOnFailure: boolean;
  kind: 'skill' | 'prompt';
  agent: string;
  skill: string;
  args: Record<string, unknown>;
  prompt: string;
  /** Empty: a conversation of its own each time. */
  threadId: string;
}

export const OVERLAP_WORDS: Record<Overlap, string> = {
  skip: 'Skip',
  buffer_one: 'Queue one run',
  allow_all: 'Run both',
  cancel_other: 'Cancel the previous run first',
};

export const SKIPPED_WORDS: Record<FormValue['skippedTimes'], string> = { run_after: 'Run at the first minute after', leave_out: 'Skip' };
export const REPEATED_WORDS: Record<FormValue['repeatedTimes'], string> = { once: 'Run once, the first time', twice: 'Run both times' };

export function newForm(timeZone: string): FormValue {
  const target = { kind: 'skill' as const, agent: '', skill: '', args: {}, prompt: '', threadId: '' };
  const clock = { skippedTimes: 'run_after', repeatedTimes: 'once' } as const;
  return { title: '', cron: '0 9 * * mon-fri', timeZone, ...clock, overlap: 'skip', catchup: 3600, jitter: 0, pauseOnFailure: false, ...target };
}

export function formOf(schedule: Schedule): FormValue {
  const { title, cron, time_zone, skipped_times, repeated_times, overlap, catchup_window_seconds, jitter_seconds, pause_on_failure, target } = schedule;
  const clock = { cron, timeZone: time_zone, skippedTimes: skipped_times, repeatedTimes: repeated_times };
  const times = { title, ...clock, overlap, catchup: catchup_window_seconds, jitter: jitter_seconds, pauseOnFailure: pause_on_failure };
  const empty = newForm(time_zone);
  if (target.kind === 'prompt') return { ...empty, ...times, kind: 'prompt', prompt: target.prompt, threadId: target.thread_id ?? '' };
  return { ...empty, ...times, kind: 'skill', agent: target.agent, skill: target.skill, args: target.args };
}

export function bodyOf(form: FormValue): ScheduleBody {
  const { title, cron, timeZone, skippedTimes, repeatedTimes, overlap, catchup, jitter, pauseOnFailure, kind, agent, skill, args, prompt, threadId } = form;
  return {
    ...(title.trim() !== '' && { title: title.trim() }),
    cron: cron.trim(),
    time_zone: timeZone,
    skipped_times: skippedTimes,
    repeated_times: repeatedTimes,
    overlap,
    catchup_window_seconds: catchup,
    jitter_seconds: jitter,
    pause_on_failure: pauseOnFailure,
    target: kind === 'prompt' ? { kind, prompt, thread_id: threadId === '' ? null : threadId } : { kind, agent, skill, args },
  };
}

/** Why it cannot be sent yet. */
export function lackOf({ cron, kind, agent, skill, prompt }: FormValue): string | undefined {
  if (cronFault(cron) !== undefined) return 'The time is not right yet.';
  if (kind === 'prompt') return prompt.trim() === '' ? 'Enter what the platform should do.' : undefined;
  if (agent === '') return 'Choose an agent.';
  return skill === '' ? 'Choose a skill.' : undefined;
}
