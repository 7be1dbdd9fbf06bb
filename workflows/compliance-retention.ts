// Old contents of an organization are removed, batch by batch. Every step may come twice.
import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { ComplianceActivities } from '#activities/compliance.ts';
import type { ComplianceRetentionIn } from './messages.ts';
import { activities } from './queues.ts';

const retry = { initialInterval: '1s', maximumInterval: '1m' };
const long = activities<ComplianceActivities>({ startToCloseTimeout: '6h', heartbeatTimeout: '2m', cancellationType: 'TRY_CANCEL', retry });
/** Without an end the job would be open for ever: tried until it is written. */
const rows = activities<ComplianceActivities>({ startToCloseTimeout: '30s' });

export async function complianceRetention({ purge_id }: ComplianceRetentionIn): Promise<void> {
  try {
    await long.removeContents(purge_id);
  } catch (error) {
    await CancellationScope.nonCancellable(() => rows.endRetention(purge_id, faultOf(error)));
    return;
  }
  await CancellationScope.nonCancellable(() => rows.endRetention(purge_id));
}

function faultOf(error: unknown): { code: string; message: string } {
  if (isCancellation(error)) return { code: 'cancelled', message: 'It was cancelled: what has not gone stays until the next time' };
  if (error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === 'Kept')
    return { code: String(error.cause.details?.[0]), message: error.cause.message };
  return { code: 'retention_failed', message: 'A step failed again and again: see the log of the worker, then start it again' };
}
