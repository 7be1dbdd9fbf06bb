// What rehearsals do outside their workflow: thin over core/studio/protocol-simulation. Accounts are removed
// as every account is.
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { removeRows } from '#core/platform/purge/steps.ts';
import { removeStored, stopAccount } from '#core/platform/purge/stop.ts';
import {
  beginSimulation,
  type BegunSimulation,
  endSimulation,
  failScenario,
  type NextScenarios,
  nextScenarios,
  runScenario,
} from '#core/studio/protocol-simulation/advance.ts';
import { type AccountRemoval, closeStage, stopStage } from '#core/studio/protocol-simulation/stage/close.ts';
import { openStage } from '#core/studio/protocol-simulation/stage/open.ts';
import { beat } from './attempts.ts';
import { longRunning } from './long-running.ts';

export type RehearsalActivities = ReturnType<typeof createRehearsalActivities>;

export function createRehearsalActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'rehearsals' }, requestId: newId('req', deps.clock()) });
  const removal: AccountRemoval = {
    stop: (of) => stopAccount(platform(), of),
    removeStored: (of) => removeStored(platform(), of, beat),
    removeRows: (of) => removeRows(platform(), of, beat),
  };
  return {
    beginSimulation: (jobId: string): Promise<BegunSimulation | null> => beginSimulation(platform(), jobId),
    openStage: (jobId: string): Promise<void> => longRunning((signal) => openStage(platform(), jobId, signal)),
    nextScenarios: (jobId: string): Promise<NextScenarios | 'over_budget'> => nextScenarios(platform(), jobId),
    runScenario: (of: { job_id: string; position: number }): Promise<void> => longRunning((signal) => runScenario(platform(), of, signal)),
    failScenario: (of: { job_id: string; position: number; reason: string }): Promise<void> => failScenario(platform(), of),
    stopStage: (jobId: string): Promise<void> => stopStage(platform(), jobId),
    /** How much of the stage is still open. */
    closeStage: (jobId: string): Promise<number> => longRunning(() => closeStage(platform(), jobId, removal)),
    endSimulation: (jobId: string, fault?: Fault): Promise<void> => endSimulation(platform(), jobId, fault),
  };
}
