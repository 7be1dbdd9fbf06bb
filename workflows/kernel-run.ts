// A run of simulated worlds, slice by slice, until its end, its deadline or its cancelling. Its rows say how far it is; this only keeps it going.
import { CancellationScope, condition, isCancellation, proxyActivities, setHandler, setWorkflowOptions } from '@temporalio/workflow';
import type { KernelRunActivities } from '#activities/kernel-runs.ts';
import { childEnded, type KernelRunIn } from './messages.ts';
import { pinned } from './versioning.ts';

/** Without an end the job would be open for ever: tried until it is written. */
const rows = proxyActivities<KernelRunActivities>({ startToCloseTimeout: '30s' });
const worlds = proxyActivities<KernelRunActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '15s',
  cancellationType: 'TRY_CANCEL',
  retry: { maximumAttempts: 5, maximumInterval: '10s' },
});

/** The signal comes first; this is for one that was lost. */
const lookAgainMs = 60_000;

setWorkflowOptions(pinned, kernelRun);
export async function kernelRun({ job_id, deadline_at }: KernelRunIn): Promise<void> {
  let news = 0;
  setHandler(childEnded, () => void (news += 1));
  try {
    for (;;) {
      const seen = news;
      const step = await worlds.advanceKernelRun(job_id);
      if (step === 'ended') return;
      if (step === 'waits') await condition(() => news > seen, Math.max(1, Math.min(lookAgainMs, deadline_at - Date.now())));
    }
  } catch (error) {
    const fault = isCancellation(error)
      ? { code: 'cancelled', message: 'It was cancelled before its end' }
      : { code: 'simulation_failed', message: 'The simulation failed again and again: the log of the worker says why' };
    await CancellationScope.nonCancellable(() => rows.endKernelRun(job_id, fault));
  }
}
