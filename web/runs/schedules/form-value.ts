// What the form of a schedule holds, and what is sent of it. Pure.
import { cronFault } from '#contract/runs/cron.ts';
import type { SCHEDULE_OVERLAPS } from '#contract/states.ts';
import type { Input } from '../../api/client.ts';
import type { Item } from '../../api/query.ts';

export type Schedule = Item<'schedules', 'list'>;
export type ScheduleBody = Input<'schedules', 'create'>['body'];
export type Overlap = (typeof SCHEDULE_OVERLAPS)[number];

export interface FormValue {
  title: string;
  cron: string;
  timeZone: string;
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
  skip: 'This time is left out',
  buffer_one: 'It runs once more afterwards',
  allow_all: 'Both run side by side',
  cancel_other: 'The one before is cancelled first',
};

export function newForm(timeZone: string): FormValue {
  const target = { kind: 'skill' as const, agent: '', skill: '', args: {}, prompt: '', threadId: '' };
  return { title: '', cron: '0 9 * * mon-fri', timeZone, overlap: 'skip', catchup: 3600, jitter: 0, pauseOnFailure: false, ...target };
}

export function formOf(schedule: Schedule): FormValue {
  const { title, cron, time_zone, overlap, catchup_window_seconds, jitter_seconds, pause_on_failure, target } = schedule;
  const times = { title, cron, timeZone: time_zone, overlap, catchup: catchup_window_seconds, jitter: jitter_seconds, pauseOnFailure: pause_on_failure };
  const empty = newForm(time_zone);
  if (target.kind === 'prompt') return { ...empty, ...times, kind: 'prompt', prompt: target.prompt, threadId: target.thread_id ?? '' };
  return { ...empty, ...times, kind: 'skill', agent: target.agent, skill: target.skill, args: target.args };
}

export function bodyOf(form: FormValue): ScheduleBody {
  const { title, cron, timeZone, overlap, catchup, jitter, pauseOnFailure, kind, agent, skill, args, prompt, threadId } = form;
  return {
    ...(title.trim() !== '' && { title: title.trim() }),
    cron: cron.trim(),
    time_zone: timeZone,
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
  if (kind === 'prompt') return prompt.trim() === '' ? 'Say what the platform is to do.' : undefined;
  if (agent === '') return 'Name the agent.';
  return skill === '' ? 'Choose the skill.' : undefined;
}
