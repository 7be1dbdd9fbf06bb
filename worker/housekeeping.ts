// The loops, the calendar and the owners of workflows of every area, in the order of areas. Two of one name
// do not start.
import { agentLoops, agentOwners } from '#core/agents/index.ts';
import { conversationLoops, conversationOwners } from '#core/conversation/index.ts';
import { deployLoops, deployOwners } from '#core/deploys/index.ts';
import { importLoops } from '#core/imports/index.ts';
import { jobCalendar, jobLoops, jobOwners } from '#core/jobs/index.ts';
import { evidenceLoops } from '#core/evidence/index.ts';
import { identityLoops } from '#core/identity/index.ts';
import type { CalendarEntry, CalendarRound } from '#core/kernel/calendar.ts';
import { type AreaLoop, uniqueNames } from '#core/kernel/loop.ts';
import { merge } from '#core/kernel/merge.ts';
import { moneyCalendar, moneyLoops, moneyOwners } from '#core/money/index.ts';
import { orgCalendar, orgLoops, orgOwners } from '#core/orgs/index.ts';
import { outboxLoops } from '#core/outbox/index.ts';
import { pauseLoops, pauseOwners } from '#core/pauses/index.ts';
import { policyLoops } from '#core/policy/index.ts';
import { platformLoops, platformOwners } from '#core/platform/index.ts';
import { qualityLoops, qualityOwners } from '#core/quality/index.ts';
import { runLoops, runOwners } from '#core/runs/index.ts';
import { studioCalendar, studioLoops, studioOwners } from '#core/studio/index.ts';
import { workspaceLoops } from '#core/workspace/index.ts';

/** By type of workflow. */
export const owners = merge(
  jobOwners,
  agentOwners,
  pauseOwners,
  moneyOwners,
  runOwners,
  qualityOwners,
  deployOwners,
  conversationOwners,
  studioOwners,
  orgOwners,
  platformOwners,
);

/** What activities run of the calendar. */
export const calendarRounds: readonly CalendarRound[] = [...moneyCalendar, ...studioCalendar, ...orgCalendar];
const calendar: readonly CalendarEntry[] = uniqueNames('entry of the calendar', [...jobCalendar, ...calendarRounds]);

export const housekeeping: readonly AreaLoop[] = uniqueNames('loop', [
  ...jobLoops(calendar),
  ...outboxLoops(owners),
  ...policyLoops,
  ...agentLoops,
  ...workspaceLoops,
  ...pauseLoops,
  ...evidenceLoops,
  ...moneyLoops,
  ...runLoops,
  ...qualityLoops,
  ...deployLoops,
  ...conversationLoops,
  ...importLoops,
  ...identityLoops,
  ...studioLoops,
  ...orgLoops,
  ...platformLoops,
]);
