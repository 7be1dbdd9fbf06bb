// What a schedule does when the clock is set: its options, and what is said of it.
import { Option } from 'clipanion';
import type { z } from 'zod';
import { wireClockNote } from '#contract/conversation/clock-note.ts';
import type { ClockChangeOut } from '#contract/conversation/schedules.ts';
import { UsageError } from '../lib/errors.ts';

export function skippedTimesOption(): string | undefined {
  return Option.String('--skipped-times', { description: 'times that the clock skips: run_after (at the first minute after; the default) or leave_out' });
}

export function repeatedTimesOption(): string | undefined {
  return Option.String('--repeated-times', { description: 'times that the clock shows twice: once (the default) or twice' });
}

export function clockNotes(changes: readonly z.output<typeof ClockChangeOut>[], timeZone: string): string[] {
  return changes.map((change) => wireClockNote(change, timeZone));
}

export function usageError({ issues }: z.ZodError): UsageError {
  return new UsageError(issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
}
