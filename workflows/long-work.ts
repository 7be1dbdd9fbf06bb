// Long work whose rows say how far it is: step after step until they say that it has ended, its deadline or
// its cancelling. The workflow only keeps it going.
import { CancellationScope, condition, continueAsNew, isCancellation, setHandler, setWorkflowOptions } from '@temporalio/workflow';
import type { LongWorkActivities } from '#activities/long-work.ts';
import { childEnded, type LongWorkIn } from './messages.ts';
import { isLong, type Pace, PACES, pauseAfter } from './pace.ts';
import { activities, type WorkOptions } from './queues.ts';
import { pinned } from './versioning.ts';

/** Tried until it is written: without an end the job would be open for ever. */
const rows = activities<LongWorkActivities>({ startToCloseTimeout: '30s' });
const steps = (options: Pick<WorkOptions, 'startToCloseTimeout' | 'retry'>) =>
  activities<LongWorkActivities>({ heartbeatTimeout: '15s', cancellationType: 'TRY_CANCEL', ...options });

/** A build with its checks, or an answer of a model. */
const studio = steps({ startToCloseTimeout: '1h', retry: { maximumInterval: '20s' } });
export const studioRun = stepByStep({
  advance: (jobId) => studio.advanceStudio(jobId),
  end: (jobId, fault) => rows.endStudio(jobId, fault),
  pace: PACES.studio,
  cancelled: 'It was cancelled before the agent was there',
  failed: { code: 'studio_failed', message: 'A step failed again and again: the log of the worker says why' },
});

/** A model may take as long as a case, and its judge some more. */
const trials = steps({ startToCloseTimeout: '2h', retry: { maximumInterval: '30s' } });
export const trialRun = stepByStep({
  advance: (jobId) => trials.advanceTrial(jobId),
  end: (jobId, fault) => rows.endTrial(jobId, fault),
  pace: PACES.trial,
  cancelled: 'It was cancelled before every case had its answer',
  failed: { code: 'trial_failed', message: 'A step failed again and again: the log of the worker says why' },
});

const worlds = steps({ startToCloseTimeout: '5m', retry: { maximumInterval: '10s' } });
export const kernelRun = stepByStep({
  advance: (jobId) => worlds.advanceKernelRun(jobId),
  end: (jobId, fault) => rows.endKernelRun(jobId, fault),
  pace: PACES.simulation,
  cancelled: 'It was cancelled before its end',
  failed: { code: 'simulation_failed', message: 'The simulation failed again and again: the log of the worker says why' },
});

interface Fault {
  code: string;
  message: string;
}

interface Kind {
  advance: (jobId: string) => Promise<'again' | 'waits' | 'ended'>;
  end: (jobId: string, fault: Fault) => Promise<void>;
  /** The signal of a run's end comes first; what ends without one is looked at. */
  pace: Pace;
  cancelled: string;
  failed: Fault;
}

function stepByStep({ advance, end, pace, cancelled, failed }: Kind) {
  const workflow = async ({ job_id, deadline_at }: LongWorkIn): Promise<void> => {
    let news = 0;
    let waitsSince: number | undefined;
    setHandler(childEnded, () => void (news += 1));
    try {
      for (;;) {
        const seen = news;
        const step = await advance(job_id);
        if (step === 'ended') return;
        if (step === 'waits') {
          waitsSince ??= Date.now();
          const pause = pauseAfter(Date.now() - waitsSince, pace);
          if (await condition(() => news > seen, Math.max(1, Math.min(pause, deadline_at - Date.now())))) waitsSince = undefined;
        } else waitsSince = undefined;
        if (isLong()) await continueAsNew<typeof workflow>({ job_id, deadline_at });
      }
    } catch (error) {
      if (!isCancellation(error) && !(error instanceof Error && error.name === 'ActivityFailure')) throw error;
      await CancellationScope.nonCancellable(() => end(job_id, isCancellation(error) ? { code: 'cancelled', message: cancelled } : failed));
    }
  };
  setWorkflowOptions(pinned, workflow);
  return workflow;
}
