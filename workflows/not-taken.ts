import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';

/** No worker of the activity's queue took it in time. */
export function isNotTaken(error: unknown): boolean {
  return error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && error.cause.timeoutType === 'SCHEDULE_TO_START';
}
