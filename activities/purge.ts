// What the purge of accounts does outside its workflow: thin over core/platform/purge.
import { ApplicationFailure } from '@temporalio/activity';
import type { Ctx } from '#core/kernel/ctx.ts';
import { DomainError, type Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { beginPurge, closeAccount, endPurge, removeRows } from '#core/platform/purge/steps.ts';
import { removeStored, stopAccount } from '#core/platform/purge/stop.ts';
import { beat } from './attempts.ts';

export type PurgeActivities = ReturnType<typeof createPurgeActivities>;

interface Of {
  job_id: string;
  user_id: string;
}

export function createPurgeActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'purge' }, requestId: newId('req', deps.clock()) });
  return {
    beginPurge: (jobId: string): Promise<string[] | null> => failOnLegalHold(beginPurge(platform(), jobId)),
    /** How much of the account is still open. */
    stopAccount: (of: Of): Promise<number> => stopAccount(platform(), of),
    removeStored: (of: Of): Promise<void> => failOnLegalHold(removeStored(platform(), of, beat)),
    removeRows: (of: Of): Promise<void> => failOnLegalHold(removeRows(platform(), of, beat)),
    closeAccount: (of: Of): Promise<void> => closeAccount(platform(), of),
    endPurge: (jobId: string, error?: Fault): Promise<void> => endPurge(platform(), jobId, error),
  };
}

/** A legal hold does not end between tries. */
async function failOnLegalHold<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'legal_hold') throw ApplicationFailure.nonRetryable(error.message, 'LegalHold');
    throw error;
  });
}
