// A contestant of a trial room, step by step, until every case has its answer. Its rows say how far it is; this only keeps it going.
import {
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
  continueAsNew,
} from '@temporalio/workflow';
import type { TrialActivities } from '#activities/trials.ts';
import { childEnded, type TrialIn } from './messages.ts';
import { pinned } from './versioning.ts';

/** Without an end the job would be open for ever: tried until it is written. */
const rows = proxyActivities<TrialActivities>({ startToCloseTimeout: '30s' });
/** A model may take as long as a case, and its judge some more. */
const steps = proxyActivities<TrialActivities>({
  startToCloseTimeout: '2h',
  heartbeatTimeout: '15s',
  cancellationType: 'TRY_CANCEL',
  retry: { maximumAttempts: 20, maximumInterval: '30s' },
});

/** The signal of a run's end comes first; a run that asks somebody, or is late, sends none. */
const lookAgainMs = 10_000;

setWorkflowOptions(pinned, trialRun);
export async function trialRun({ job_id, deadline_at }: TrialIn): Promise<void> {
  let news = 0;
  setHandler(childEnded, () => void (news += 1));
  try {
    for (;;) {
      const seen = news;
      const step = await steps.advanceTrial(job_id);
      if (step === 'ended') return;
      if (step === 'waits') await condition(() => news > seen, Math.max(1, Math.min(lookAgainMs, deadline_at - Date.now())));
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof trialRun>({ job_id, deadline_at });
    }
  } catch (error) {
    if (!isCancellation(error) && !(error instanceof Error && error.name === 'ActivityFailure')) throw error;
    const fault = isCancellation(error)
      ? { code: 'cancelled', message: 'It was cancelled before every case had its answer' }
      : { code: 'trial_failed', message: 'A step failed again and again: the log of the worker says why' };
    await CancellationScope.nonCancellable(() => rows.endTrial(job_id, fault));
  }
}
