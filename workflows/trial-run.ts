// A contestant of a trial room, step by step, until every case has its answer.
import { continueAsNew, setWorkflowOptions } from '@temporalio/workflow';
import type { TrialActivities } from '#activities/trials.ts';
import type { TrialIn } from './messages.ts';
import { PACES } from './pace.ts';
import { activities } from './queues.ts';
import { stepByStep } from './step-by-step.ts';
import { pinned } from './versioning.ts';

const rows = activities<TrialActivities>({ startToCloseTimeout: '30s' });
/** A model may take as long as a case, and its judge some more. */
const steps = activities<TrialActivities>({
  startToCloseTimeout: '2h',
  heartbeatTimeout: '15s',
  cancellationType: 'TRY_CANCEL',
  retry: { maximumInterval: '30s' },
});

setWorkflowOptions(pinned, trialRun);
export async function trialRun({ job_id, deadline_at }: TrialIn): Promise<void> {
  const went = await stepByStep({
    deadline_at,
    advance: () => steps.advanceTrial(job_id),
    end: (fault) => rows.endTrial(job_id, fault),
    pace: PACES.trial,
    cancelled: 'It was cancelled before every case had its answer',
    failed: { code: 'trial_failed', message: 'A step failed again and again: the log of the worker says why' },
  });
  if (went === 'long') await continueAsNew<typeof trialRun>({ job_id, deadline_at });
}
