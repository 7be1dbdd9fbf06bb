// An export of decision records: the file is made in one step, again from the beginning where its worker
// dies, until its deadline or its cancelling.
import { ActivityFailure, CancellationScope, isCancellation, setWorkflowOptions, TimeoutFailure } from '@temporalio/workflow';
import type { ComplianceActivities } from '#activities/compliance.ts';
import type { ComplianceExportIn } from './messages.ts';
import { activities } from './queues.ts';
import { pinned } from './versioning.ts';

/** Without an end the job would be open for ever: tried until it is written. */
const rows = activities<ComplianceActivities>({ startToCloseTimeout: '30s' });

setWorkflowOptions(pinned, complianceExport);
export async function complianceExport({ export_id, deadline_at }: ComplianceExportIn): Promise<void> {
  const work = activities<ComplianceActivities>({
    scheduleToCloseTimeout: Math.max(1, deadline_at - Date.now()),
    heartbeatTimeout: '15s',
    cancellationType: 'TRY_CANCEL',
    retry: { initialInterval: '500ms', maximumInterval: '10s' },
  });
  try {
    await work.buildExport(export_id);
  } catch (error) {
    await CancellationScope.nonCancellable(() => rows.endExport(export_id, faultOf(error)));
  }
}

function faultOf(error: unknown): { code: string; message: string } {
  if (isCancellation(error)) return { code: 'cancelled', message: 'It was cancelled before its end' };
  // Either the deadline came while it was at work, or between two tries.
  if (error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure))
    return { code: 'export_late', message: 'It was not made by its deadline: ask for fewer records, or a shorter range' };
  return { code: 'export_failed', message: 'It failed again and again: see the log of the worker, then try again' };
}
