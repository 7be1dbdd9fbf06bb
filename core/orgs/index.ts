// What processes run of this area.
import { ownerOfJob } from '../jobs/long-work.ts';
import { type CalendarRound, HOUR_SECONDS } from '../kernel/calendar.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import type { WorkflowOwners } from '../kernel/lost-workflow.ts';
import { chainAuditLogs } from './audit/chain-log.ts';
import { abandonExport, expireExports } from './compliance/export/build.ts';
import { enforceNightly } from './compliance/retention/enforce.ts';
import { abandonRetention } from './compliance/retention/steps.ts';
import { recheckDomains } from './domain/verify.ts';
import { mailInvitations } from './member/mail.ts';
import { mailOpenings } from './sso/openings.ts';

export const orgLoops: readonly AreaLoop[] = [
  { name: 'organization audit', everyMs: 1_000, run: (ctx) => chainAuditLogs(ctx) },
  { name: 'organization domains', everyMs: 600_000, run: (ctx) => recheckDomains(ctx) },
  { name: 'invitations', everyMs: 3_000, run: (ctx) => mailInvitations(ctx) },
  { name: 'mail of ended single sign-on', everyMs: 10_000, run: (ctx) => mailOpenings(ctx) },
  { name: 'exports', everyMs: 600_000, run: (ctx) => expireExports(ctx) },
];

export const orgCalendar: readonly CalendarRound[] = [
  {
    name: 'compliance-retention',
    title: 'removes contents that are older than their organization keeps them',
    calendars: [{ minutes: [10, 25, 40, 55] }],
    catchupWindowSeconds: HOUR_SECONDS,
    run: (ctx) => enforceNightly(ctx),
  },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const orgOwners = { complianceExport: ownerOfJob(abandonExport), complianceRetention: ownerOfJob(abandonRetention) } satisfies WorkflowOwners;
