// Entries of the calendar are schedules of the engine: made when they are not there, changed when their
// definition here has changed, removed with it.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { StartWorkflow } from '#drivers/workflows/port.ts';
import type { WorkflowSchedule } from '#drivers/workflows/schedules.ts';
import type { CalendarEntry } from '../../kernel/calendar.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const PREFIX = 'svc:';

export async function ensureCalendar(ctx: Pick<Ctx, 'drivers'>, entries: readonly CalendarEntry[]): Promise<void> {
  for (const entry of entries) await ensure(ctx, entry);
  const wanted = new Set(entries.map(({ name }) => PREFIX + name));
  for (const scheduleId of await ctx.drivers.schedules.list(PREFIX)) if (!wanted.has(scheduleId)) await ctx.drivers.schedules.remove(scheduleId);
}

/**
 * The note carries the definition's hash, so that an outdated schedule is recognised. An operator's pause
 * stays.
 */
async function ensure({ drivers }: Pick<Ctx, 'drivers'>, entry: CalendarEntry): Promise<void> {
  const definition = definitionOf(entry);
  const note = `${entry.title} (definition ${canonicalSha256(definition).slice(0, 12)})`;
  const there = await drivers.schedules.describe(definition.scheduleId);
  if (there?.note.includes(note)) return;
  await drivers.schedules.put({ ...definition, note, paused: there?.paused ?? false });
}

function definitionOf(entry: CalendarEntry): Omit<WorkflowSchedule, 'paused' | 'note'> {
  const { name, calendars, catchupWindowSeconds, jitterSeconds = 0 } = entry;
  return { scheduleId: PREFIX + name, calendars, overlap: 'skip', catchupWindowSeconds, jitterSeconds, workflow: workflowOf(entry) };
}

function workflowOf(entry: CalendarEntry): StartWorkflow {
  if ('workflow' in entry) return { ...entry.workflow, workflowId: entry.name, taskQueue: 'control', args: [], summary: entry.title };
  const searchAttributes = { SvcKind: 'calendar', SvcOwner: 'platform' };
  return { type: 'calendarRound', workflowId: `calendar:${entry.name}`, taskQueue: 'control', args: [entry.name], searchAttributes, summary: entry.title };
}
