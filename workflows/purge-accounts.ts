// Removes accounts with everything they own: stop what runs, remove what is stored, remove the rows, close
// the account. Every step may come twice.
import { ActivityFailure, ApplicationFailure, CancellationScope, ContinueAsNew, continueAsNew, sleep } from '@temporalio/workflow';
import type { PurgeActivities } from '#activities/purge.ts';
import type { PurgeIn } from './messages.ts';
import { isLong, PACES } from './pace.ts';
import { activities } from './queues.ts';

const retry = { initialInterval: '1s', maximumInterval: '1m' };
const quick = activities<PurgeActivities>({ startToCloseTimeout: '5m', retry });
const long = activities<PurgeActivities>({ startToCloseTimeout: '6h', heartbeatTimeout: '2m', retry });
/** The end is tried for ever: without it the job would be open for ever. */
const last = activities<PurgeActivities>({ startToCloseTimeout: '1m' });

/** Runs have this long to end after they were cancelled. */
export const STOPPING_LOOKS = 120;

/** It cannot be cancelled after its start, because a half-removed account cannot be used. */
export async function purgeAccounts({ job_id, done = 0 }: PurgeIn): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    try {
      const users = await last.beginPurge(job_id);
      if (users === null) return;
      for (const [at, user_id] of users.entries()) {
        if (at < done) continue;
        await purgeOne({ job_id, user_id });
        if (at + 1 < users.length && isLong()) await continueAsNew<typeof purgeAccounts>({ job_id, done: at + 1 });
      }
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error;
      const hold = holdIn(error);
      if (hold !== undefined) return await last.endPurge(job_id, { code: 'legal_hold', message: hold });
      const message = error instanceof StillOpen ? error.message : 'A step failed again and again: see the log of the worker, then purge again';
      await last.endPurge(job_id, { code: 'purge_failed', message });
      return;
    }
    await last.endPurge(job_id);
  });
}

/** A legal hold was set meanwhile: what has not gone stays. */
function holdIn(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure) || error.cause.type !== 'LegalHold') return undefined;
  return error.cause.message;
}

class StillOpen extends Error {}

async function purgeOne(of: { job_id: string; user_id: string }): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const open = await quick.stopAccount(of);
    if (open === 0) break;
    if (tries === STOPPING_LOOKS) throw new StillOpen(`${open} runs or machines of ${of.user_id} did not end in ten minutes: look at them, then purge again`);
    await sleep(PACES.stopping.least);
  }
  await long.removeStored(of);
  await long.removeRows(of);
  await quick.closeAccount(of);
}
