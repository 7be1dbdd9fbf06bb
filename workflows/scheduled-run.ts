// A schedule came due: starts what it is for and lasts as long as that does, which is how the scheduler sees
// what overlaps.
import { allHandlersFinished, CancellationScope, condition, continueAsNew, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ScheduleActivities } from '#activities/schedules.ts';
import { childEnded, type ScheduledRunIn } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

const rows = activities<ScheduleActivities>({ startToCloseTimeout: '30s', retry: { maximumInterval: '30s' } });

/**
 * How long it waits for the signal before it looks itself, at first and at most. A run may wait for a person
 * for days.
 */
const firstCheckMs = 60_000;
const lastCheckMs = 3_600_000;

export async function scheduledRun(i: ScheduledRunIn): Promise<{ state: string }> {
  const { workflowId: firingId } = workflowInfo();
  const times = i.firing ?? timesOf();
  let ended = false;
  setHandler(childEnded, () => void (ended = true));
  // What has begun is known to us before anything can cancel it.
  const state = await CancellationScope.nonCancellable(() => rows.beginFiring({ schedule_id: i.schedule_id, firing_id: firingId, ...times }));
  if (state !== 'running') return { state: state ?? 'nothing to run' };
  const untilItEnds = async (): Promise<void> => {
    for (let wait = firstCheckMs; !ended; wait = Math.min(wait * 2, lastCheckMs)) {
      await condition(() => ended, wait);
      ended ||= await rows.checkFiring(firingId);
      if (!ended && isLong()) await continueAsNew<typeof scheduledRun>({ ...i, firing: times });
    }
  };
  try {
    await untilItEnds();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await rows.cancelFiring(firingId);
      await untilItEnds();
    });
    throw error;
  }
  await condition(allHandlersFinished);
  return { state: 'ended' };
}

/** The scheduler says what time was meant: it may be late itself. */
function timesOf(): { due_at: number; made_at: number } {
  const { startTime, searchAttributes } = workflowInfo();
  const [meant] = searchAttributes['TemporalScheduledStartTime'] ?? [];
  return { due_at: meant instanceof Date ? meant.getTime() : startTime.getTime(), made_at: startTime.getTime() };
}
