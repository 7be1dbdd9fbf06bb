// A run of simulated worlds, slice by slice, until its end, its deadline or its cancelling.
import { continueAsNew, setWorkflowOptions } from '@temporalio/workflow';
import type { KernelRunActivities } from '#activities/kernel-runs.ts';
import type { KernelRunIn } from './messages.ts';
import { PACES } from './pace.ts';
import { activities } from './queues.ts';
import { stepByStep } from './step-by-step.ts';
import { pinned } from './versioning.ts';

const rows = activities<KernelRunActivities>({ startToCloseTimeout: '30s' });
const worlds = activities<KernelRunActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '15s',
  cancellationType: 'TRY_CANCEL',
  retry: { maximumInterval: '10s' },
});

setWorkflowOptions(pinned, kernelRun);
export async function kernelRun({ job_id, deadline_at }: KernelRunIn): Promise<void> {
  const went = await stepByStep({
    deadline_at,
    advance: () => worlds.advanceKernelRun(job_id),
    end: (fault) => rows.endKernelRun(job_id, fault),
    pace: PACES.simulation,
    cancelled: 'It was cancelled before its end',
    failed: { code: 'simulation_failed', message: 'The simulation failed again and again: the log of the worker says why' },
  });
  if (went === 'long') await continueAsNew<typeof kernelRun>({ job_id, deadline_at });
}
