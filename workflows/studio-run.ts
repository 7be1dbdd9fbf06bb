// A run of the studio, step by step, until the agent is there or the run gives up.
import { continueAsNew, setWorkflowOptions } from '@temporalio/workflow';
import type { StudioActivities } from '#activities/studio.ts';
import type { StudioIn } from './messages.ts';
import { PACES } from './pace.ts';
import { activities } from './queues.ts';
import { stepByStep } from './step-by-step.ts';
import { pinned } from './versioning.ts';

const rows = activities<StudioActivities>({ startToCloseTimeout: '30s' });
/** A build with its checks, or an answer of a model. */
const steps = activities<StudioActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '15s',
  cancellationType: 'TRY_CANCEL',
  retry: { maximumInterval: '20s' },
});

setWorkflowOptions(pinned, studioRun);
export async function studioRun({ job_id, deadline_at }: StudioIn): Promise<void> {
  const went = await stepByStep({
    deadline_at,
    advance: () => steps.advanceStudio(job_id),
    end: (fault) => rows.endStudio(job_id, fault),
    pace: PACES.studio,
    cancelled: 'It was cancelled before the agent was there',
    failed: { code: 'studio_failed', message: 'A step failed again and again: the log of the worker says why' },
  });
  if (went === 'long') await continueAsNew<typeof studioRun>({ job_id, deadline_at });
}
