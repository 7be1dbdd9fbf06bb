// What has been kept long enough moves into archives, and what has lain there long enough goes. Step by step,
// each of which may come twice.
import { continueAsNew } from '@temporalio/workflow';
import type { RetentionActivities, ArchiveStep } from '#activities/retention.ts';
import type { RetentionTotals } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

const work = activities<RetentionActivities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: '2m',
  retry: { initialInterval: '5s', maximumInterval: '5m' },
});

export async function retention(before?: RetentionTotals): Promise<RetentionTotals> {
  let { archived, removed, failed } = before ?? { archived: 0, removed: 0, failed: 0 };
  const all = async (step: () => Promise<ArchiveStep>, count: (done: number) => void): Promise<void> => {
    for (;;) {
      const { done, failed: left } = await step();
      count(done);
      // What cannot be done now waits for tomorrow: the rest of the same batch would only bring it again.
      if (done === 0 || left > 0) {
        failed += left;
        return;
      }
      if (isLong()) await continueAsNew<typeof retention>({ archived, removed, failed });
    }
  };
  await all(work.archiveEvents, (done) => void (archived += done));
  await all(work.removeArchives, (done) => void (removed += done));
  return { archived, removed, failed };
}
