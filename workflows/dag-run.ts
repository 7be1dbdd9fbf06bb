// A plan over several agents: begun again whenever something of it has ended. Its rows say how far it is;
// this only keeps it going.
import { CancellationScope, condition, continueAsNew, isCancellation, setHandler } from '@temporalio/workflow';
import type { PlanActivities } from '#activities/plans.ts';
import { childEnded, type DagRunIn, woken } from './messages.ts';
import { isLong, PACES, pauseAfter } from './pace.ts';
import { activities } from './queues.ts';

const rows = activities<PlanActivities>({ startToCloseTimeout: '30s', retry: { maximumInterval: '30s' } });
/** A model may be slow; tried again when its worker is lost. */
const model = activities<PlanActivities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: '15s',
  cancellationType: 'TRY_CANCEL',
  retry: { maximumInterval: '30s' },
});

/** The signal comes first; this is for one that was lost. */
const lookAgain = 3_600_000;
/** How long what was cancelled may take to end, a step after the other. */
const endingTime = '30s';
const endingTries = 4;

export async function dagRun({ dag_run_id }: DagRunIn): Promise<void> {
  let news = 0;
  let roomSince: number | undefined;
  setHandler(childEnded, () => void (news += 1));
  setHandler(woken, () => void (news += 1));
  try {
    for (;;) {
      const seen = news;
      const step = await rows.advancePlan(dag_run_id);
      if (step === 'ended') return;
      if (step === 'think') {
        await model.thinkOfPlan(dag_run_id);
        continue;
      }
      if (step === 'room') roomSince ??= Date.now();
      const pause = step === 'room' && roomSince !== undefined ? pauseAfter(Date.now() - roomSince, PACES.room) : lookAgain;
      if ((await condition(() => news > seen, pause)) || step !== 'room') roomSince = undefined;
      // The next life starts where the rows stand, and looks at them first: a signal that is left behind is
      // not missed.
      if (isLong()) await continueAsNew<typeof dagRun>({ dag_run_id });
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      for (let left = endingTries; ; left -= 1) {
        const seen = news;
        if (await rows.cancelPlan(dag_run_id, left === 0)) return;
        await condition(() => news > seen, endingTime);
      }
    });
  }
}
