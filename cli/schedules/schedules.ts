// Schedules as the tool shows and finds them.
import type { z } from 'zod';
import type { ScheduleOut } from '#contract/conversation/schedules.ts';
import type { Api } from '../lib/api.ts';
import { CliError, faultText } from '../lib/errors.ts';
import { plain, table } from '../lib/output.ts';

export type Schedule = z.output<typeof ScheduleOut>;
const PAGE = 100;
/** Of all that are listed. */
export const MAX_SCHEDULES = 2_000;

async function allSchedules(client: Api): Promise<Schedule[]> {
  const all: Schedule[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.schedules.list({ query: { limit: PAGE, cursor } });
    all.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && all.length < MAX_SCHEDULES);
  return all;
}

/** By its id, or by its title where only one has it. @throws CliError */
export async function scheduleId(client: Api, text: string): Promise<string> {
  if (/^sch_[0-9a-f-]{36}$/.test(text)) return text;
  const named = (await allSchedules(client)).filter(({ title }) => title === text);
  const [one, ...more] = named;
  if (one && more.length === 0) return one.schedule_id;
  const hint = 'List them with: svc schedules list';
  throw new CliError(one ? `${named.length} schedules are called "${text}": name one by its id. ${hint}` : `You have no schedule "${text}". ${hint}`);
}

export function scheduleTable(schedules: readonly Schedule[]): string[] {
  const rows = schedules.map((schedule) => [
    schedule.schedule_id,
    plain(schedule.title).slice(0, 40),
    `${schedule.cron} ${schedule.time_zone}`,
    nextOf(schedule),
    lastOf(schedule),
  ]);
  return table(['ID', 'TITLE', 'WHEN', 'NEXT (UTC)', 'LAST'], rows);
}

/** What the person should know beyond the table. */
export function scheduleNotes({ title, paused_by: by, last_error: error, failures_in_a_row: failures, sync_error: sync }: Schedule): string[] {
  return [
    ...(error ? [`${plain(title)} failed${failures > 1 ? ` ${failures} times in a row` : ''} ${faultText(error)}`] : []),
    ...(by === 'failure' ? [`${plain(title)} is paused because it failed. After the fix: svc schedules resume "${plain(title)}"`] : []),
    ...(sync === null ? [] : [`${plain(title)}: the scheduler has not taken the last change yet: ${plain(sync)}`]),
  ];
}

function nextOf({ paused, next_times: next }: Schedule): string {
  if (paused) return 'paused';
  return next === null ? '?' : (next[0]?.slice(0, 19).replace('T', ' ') ?? 'never');
}

function lastOf({ last_run: last }: Schedule): string {
  return last ? `${last.state} ${last.due_at.slice(0, 16).replace('T', ' ')}` : '-';
}
