// The loops and the calendar of every area, in the order of areas. Two of one name do not start.
import { agentAbandons, agentLoops } from '#core/agents/index.ts';
import { jobCalendar, jobLoops } from '#core/jobs/index.ts';
import { evidenceLoops } from '#core/evidence/index.ts';
import { identityLoops } from '#core/identity/index.ts';
import type { CalendarEntry, CalendarRound } from '#core/kernel/calendar.ts';
import { type AreaLoop, uniqueNames } from '#core/kernel/loop.ts';
import { merge } from '#core/kernel/merge.ts';
import { moneyCalendar, moneyLoops } from '#core/money/index.ts';
import { orgAbandons, orgCalendar, orgLoops } from '#core/orgs/index.ts';
import { outboxLoops } from '#core/outbox/index.ts';
import { policyLoops } from '#core/policy/index.ts';
import { platformAbandons, platformLoops } from '#core/platform/index.ts';
import { runAbandons, runLoops } from '#core/runs/index.ts';
import { studioAbandons, studioCalendar, studioLoops } from '#core/studio/index.ts';
import { workspaceLoops } from '#core/workspace/index.ts';

/** What activities run of the calendar. */
export const calendarRounds: readonly CalendarRound[] = [...moneyCalendar, ...studioCalendar, ...orgCalendar];
const calendar: readonly CalendarEntry[] = uniqueNames('entry of the calendar', [...jobCalendar, ...calendarRounds]);

export const housekeeping: readonly AreaLoop[] = uniqueNames('loop', [
  ...jobLoops({ abandon: merge(agentAbandons, runAbandons, studioAbandons, orgAbandons, platformAbandons), calendar }),
  ...outboxLoops,
  ...policyLoops,
  ...agentLoops,
  ...workspaceLoops,
  ...evidenceLoops,
  ...moneyLoops,
  ...runLoops,
  ...identityLoops,
  ...studioLoops,
  ...orgLoops,
  ...platformLoops,
]);
