// A run that continues without its caller: driven while it works, not touched while it waits for a person,
// ended once.
import { CancellationScope, condition, continueAsNew, isCancellation, patched, setHandler } from '@temporalio/workflow';
import type { Driven, RunActivities } from '#activities/runs.ts';
import { childEnded, type RunIn, woken } from './messages.ts';
import { isLong } from './pace.ts';
import { activities, type WorkOptions } from './queues.ts';

const beside = { heartbeatTimeout: '15s' } satisfies WorkOptions;
/** Beside the agent for as long as it works; another worker continues within seconds when its own is lost. */
const agent = activities<RunActivities>({
  ...beside,
  startToCloseTimeout: '7 days',
  cancellationType: 'TRY_CANCEL',
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '20s' },
});
const ending = activities<RunActivities>({ ...beside, startToCloseTimeout: '90s', retry: { maximumInterval: '20s' } });
const rows = activities<RunActivities>({ startToCloseTimeout: '30s', retry: { maximumInterval: '30s' } });

/** The signal comes first; this is for one that was lost. */
const lookAgain = '6 hours';

export async function runSkill({ run_id }: RunIn): Promise<void> {
  let wakes = 0;
  setHandler(woken, () => void (wakes += 1));
  // Runs that this one began send it a signal when they end; the agent reads the outcome at the platform.
  setHandler(childEnded, () => undefined);
  try {
    for (;;) {
      const seen = wakes;
      const driven = await drive(run_id);
      if (driven === 'ended') return;
      if (driven === 'long') await continueAsNew<typeof runSkill>({ run_id });
      while (wakes === seen) {
        const signalled = await condition(() => wakes > seen, lookAgain);
        if (signalled || !(await rows.runWaits(run_id))) break;
      }
      // The next life starts where this one stands, for that is in the rows. A wake-up may not be left
      // behind.
      if (isLong()) await continueAsNew<typeof runSkill>({ run_id });
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => ending.cancelRun(run_id));
  }
}

/**
 * `long`: so many answers and ends of children arrived while it was driven that a new execution has to
 * continue. The activity that still drives for this one is cancelled, and until then records nothing that the
 * next one has recorded.
 */
async function drive(runId: string): Promise<Driven | 'long'> {
  let over = false;
  const driving = agent.driveRun(runId).finally(() => void (over = true));
  driving.catch(() => undefined);
  await condition(() => over || (isLong() && patched('continue-while-driven')));
  return over ? driving : 'long';
}
