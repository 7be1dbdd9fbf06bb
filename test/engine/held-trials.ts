// Trials whose only step hangs until the test lets it go: the real workflow, on whatever workers take its
// activities.
import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { longRunning } from '#activities/long-running.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Advanced } from '#core/jobs/long-work.ts';

export interface HeldTrials {
  activities: { advanceTrial(jobId: string): Promise<Advanced>; endTrial(): Promise<void> };
  /** Resolves with the workflow's id. */
  start(ctx: Ctx, owner: string): Promise<string>;
  /** Jobs of an account in the order in which their step began; of all accounts without one. */
  begun(owner?: string): string[];
  /** Trials whose step has ended. */
  ended(): number;
  release(): void;
}

export function heldTrials(): HeldTrials {
  const gate = Promise.withResolvers<void>();
  const begun: { owner: string; jobId: string }[] = [];
  let ended = 0;
  return {
    activities: {
      advanceTrial: (jobId) =>
        longRunning<Advanced>(async (signal) => {
          begun.push({ owner: activityInfo().priority?.fairnessKey ?? '', jobId });
          const stopped = new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
          await Promise.race([gate.promise, stopped]);
          ended += 1;
          return 'ended';
        }),
      endTrial: async () => undefined,
    },
    async start({ drivers }, owner) {
      const jobId = `job_${randomUUID()}`;
      await drivers.workflows.start({
        type: 'trialRun',
        workflowId: `trial:${jobId}`,
        taskQueue: 'control',
        args: [{ job_id: jobId, deadline_at: Date.now() + 3_600_000 }],
        searchAttributes: { SvcKind: 'trial', SvcOwner: owner },
      });
      return `trial:${jobId}`;
    },
    begun: (owner) => begun.filter((one) => owner === undefined || one.owner === owner).map(({ jobId }) => jobId),
    ended: () => ended,
    release: gate.resolve,
  };
}
