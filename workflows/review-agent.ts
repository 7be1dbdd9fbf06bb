// One review of a deployed version: read, judge, write the verdict. Whatever fails, the deployment stays live.
import { CancellationScope, isCancellation, proxyActivities, setWorkflowOptions } from '@temporalio/workflow';
import type { ReviewActivities } from '#activities/reviews.ts';
import type { ReviewIn } from './messages.ts';
import { pinned } from './versioning.ts';

/** Without an end the job would be open for ever: tried until it is written. */
const rows = proxyActivities<ReviewActivities>({ startToCloseTimeout: '30s' });
const reader = proxyActivities<ReviewActivities>({ startToCloseTimeout: '5m', heartbeatTimeout: '15s', retry: { maximumAttempts: 3 } });

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
