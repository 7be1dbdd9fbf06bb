// What runs of the studio do outside their workflow: thin over core/studio/studio-run.
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { type Advanced, advanceStudio } from '#core/studio/studio-run/advance.ts';
import { endStudioRun } from '#core/studio/studio-run/end.ts';
import { longRunning } from './long-running.ts';

export type StudioActivities = ReturnType<typeof createStudioActivities>;

/** `node`: name of this host. */
export function createStudioActivities(deps: Omit<Ctx, 'actor' | 'requestId'>, node?: string) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'studio' }, requestId: newId('req', deps.clock()) });
  return {
    advanceStudio: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceStudio(platform(), jobId, signal, node)),
    endStudio: (jobId: string, fault: Fault): Promise<void> => endStudioRun(platform(), jobId, fault),
  };
}
