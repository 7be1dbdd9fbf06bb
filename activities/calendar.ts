// One round of an entry of the calendar.
import type { CalendarRound } from '#core/kernel/calendar.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { ApplicationFailure } from '@temporalio/activity';
import { longRunning } from './long-running.ts';

export type CalendarActivities = ReturnType<typeof createCalendarActivities>;

export function createCalendarActivities(deps: Omit<Ctx, 'actor' | 'requestId'>, rounds: readonly CalendarRound[]) {
  return {
    async runCalendarRound(name: string): Promise<void> {
      const round = rounds.find((one) => one.name === name);
      if (!round) throw ApplicationFailure.nonRetryable(`This worker has no entry ${name} in its calendar: it is of another version`, 'NoSuchEntry');
      await longRunning(() => round.run({ ...deps, actor: { kind: 'platform', service: 'calendar' }, requestId: newId('req', deps.clock()) }));
    },
  };
}
