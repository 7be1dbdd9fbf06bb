// Every activity of the platform. Two of one name do not start.
import type { ReviewSettings } from '#core/quality/review/steps.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { CalendarRound } from '#core/kernel/calendar.ts';
import { merge } from '#core/kernel/merge.ts';
import { createCalendarActivities } from './calendar.ts';
import { createComplianceActivities } from './compliance.ts';
import { createDatabaseActivities } from './databases.ts';
import { createDeployActivities, type DeployDeps } from './deploy.ts';
import { createDomainActivities } from './domains.ts';
import { createLongWorkActivities } from './long-work.ts';
import { createMailActivities } from './mail.ts';
import { createPayoutActivities } from './payouts.ts';
import { createPlanActivities } from './plans.ts';
import { createProofActivities } from './proofs.ts';
import { createPurgeActivities } from './purge.ts';
import { createRehearsalActivities } from './rehearsals.ts';
import { createRepairActivities } from './repairs.ts';
import { createRetentionActivities, type RetentionSettings } from './retention.ts';
import { createReviewActivities } from './reviews.ts';
import { createRunActivities } from './runs.ts';
import { createScheduleActivities } from './schedules.ts';
import { createWaitActivities } from './waits.ts';

export interface ActivitySettings extends Pick<DeployDeps, 'node' | 'buildsAtOnce'> {
  retention: RetentionSettings;
  review?: ReviewSettings;
  calendar?: readonly CalendarRound[];
}

export function createActivities(deps: Omit<Ctx, 'actor' | 'requestId'>, { retention, review, calendar = [], ...deploy }: ActivitySettings) {
  return merge(
    createDeployActivities({ ...deps, ...deploy }),
    createDatabaseActivities(deps),
    createDomainActivities(deps),
    createWaitActivities(deps),
    createRunActivities(deps),
    createPlanActivities(deps),
    createProofActivities(deps),
    createScheduleActivities(deps),
    createMailActivities(deps),
    createRetentionActivities(deps, retention),
    createPurgeActivities(deps),
    createReviewActivities(deps, review),
    createRepairActivities(deps),
    createRehearsalActivities(deps),
    createLongWorkActivities(deps, deploy.node),
    createPayoutActivities(deps),
    createComplianceActivities(deps),
    createCalendarActivities(deps, calendar),
  );
}
