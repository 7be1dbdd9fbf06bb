// What the retention workflow does: thin over core/jobs/retention.
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { archiveJobs, removeArchives, type ArchiveStep } from '#core/jobs/retention/archive.ts';
import { beat } from './attempts.ts';

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;
export type { ArchiveStep };

export interface RetentionSettings {
  /** Days after a job's end until its events move into the archive, and until the archive goes. */
  archiveAfterDays: number;
  removeAfterDays: number;
}

const jobsAtATime = 100;

export function createRetentionActivities(deps: Omit<Ctx, 'actor' | 'requestId'>, { archiveAfterDays, removeAfterDays }: RetentionSettings) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'retention' }, requestId: newId('req', deps.clock()) });
  return {
    archiveEvents: (): Promise<ArchiveStep> => archiveJobs(platform(), { days: archiveAfterDays, limit: jobsAtATime }, beat),
    removeArchives: (): Promise<ArchiveStep> => removeArchives(platform(), { days: removeAfterDays, limit: jobsAtATime }, beat),
  };
}
