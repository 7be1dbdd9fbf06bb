// One review of a deployed version: read, judge, write the verdict. Whatever fails, the deployment stays
// live.
import { CancellationScope, isCancellation, setWorkflowOptions } from '@temporalio/workflow';
import type { ReviewActivities } from '#activities/reviews.ts';
import type { ReviewIn } from './messages.ts';
import { activities } from './queues.ts';
import { pinned } from './versioning.ts';

/** Without an end the job would be open for ever: tried until it is written. */
const rows = activities<ReviewActivities>({ startToCloseTimeout: '30s' });
const reader = activities<ReviewActivities>({ startToCloseTimeout: '5m', heartbeatTimeout: '15s' });

setWorkflowOptions(pinned, reviewAgent);
export async function reviewAgent({ review_id }: ReviewIn): Promise<void> {
  try {
    if (!(await rows.beginReview(review_id))) return;
    await reader.review(review_id);
  } catch (error) {
    const fault = isCancellation(error)
      ? { code: 'cancelled', message: 'Cancelled before there was a verdict; the deployment is live all the same' }
      : { code: 'review_failed', message: 'The reviewer failed again and again: the deployment is live all the same; the log of the worker says why' };
    await CancellationScope.nonCancellable(() => rows.endReview(review_id, fault));
  }
}
