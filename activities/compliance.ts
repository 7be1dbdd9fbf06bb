// What exports and removals of organizations do outside their workflows: thin over core/orgs/compliance.
import { ApplicationFailure } from '@temporalio/activity';
import type { Ctx } from '#core/kernel/ctx.ts';
import { Conflict, type Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { buildExport, endExport } from '#core/orgs/compliance/export/build.ts';
import { endRetention, removeContents, removeHistories } from '#core/orgs/compliance/retention/steps.ts';
import { longRunning } from './long-running.ts';

/** A batch is removed in seconds. */
const SILENT_BATCH_MS = 10 * 60_000;

export type ComplianceActivities = ReturnType<typeof createComplianceActivities>;

export function createComplianceActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'compliance' }, requestId: newId('req', deps.clock()) });
  return {
    buildExport: (exportId: string): Promise<boolean> => longRunning((signal) => buildExport(platform(), exportId, signal)),
    endExport: (exportId: string, fault: Fault): Promise<void> => endExport(platform(), exportId, fault),
    removeContents: (purgeId: string): Promise<void> => {
      const work = async (signal: AbortSignal, progress: () => void): Promise<void> => {
        const beat = (): void => {
          progress();
          signal.throwIfAborted();
        };
        await removeContents(platform(), purgeId, beat);
        await removeHistories(platform(), purgeId, beat);
      };
      return failOnConflict(longRunning(work, { silentForMs: SILENT_BATCH_MS }));
    },
    endRetention: (purgeId: string, fault?: Fault): Promise<void> => endRetention(platform(), purgeId, fault),
  };
}

/** A missing hold or policy does not come back between tries. */
async function failOnConflict<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof Conflict) throw ApplicationFailure.create({ message: error.message, type: 'Kept', nonRetryable: true, details: [error.code] });
    throw error;
  });
}
