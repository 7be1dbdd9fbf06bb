// What contestants of trial rooms do outside their workflow: thin over core/studio/trial-room.
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { type Advanced, advanceTrial } from '#core/studio/trial-room/advance.ts';
import { endTrial } from '#core/studio/trial-room/end.ts';
import { longRunning } from './long-running.ts';

export type TrialActivities = ReturnType<typeof createTrialActivities>;

export function createTrialActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'trials' }, requestId: newId('req', deps.clock()) });
  return {
    advanceTrial: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceTrial(platform(), jobId, signal)),
    endTrial: (jobId: string, fault: Fault): Promise<void> => endTrial(platform(), jobId, fault),
  };
}
