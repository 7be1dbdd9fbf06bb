// What self-healing does outside its workflow: thin over core/deploys/healing.
import type { TestOutcome } from '#contract/states.ts';
import { type RepairDeploy, repairDeploy } from '#core/deploys/healing/deploy.ts';
import { awaitDeployment, prove, type ProveSettings } from '#core/deploys/healing/prove.ts';
import { askForSecrets, beginRepair, type Diagnosis, endRepair } from '#core/deploys/healing/steps.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { longRunning } from './long-running.ts';

export type RepairActivities = ReturnType<typeof createRepairActivities>;

export function createRepairActivities(deps: Omit<Ctx, 'actor' | 'requestId'>, settings: ProveSettings = { watchMs: 20_000 }) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'healing' }, requestId: newId('req', deps.clock()) });
  return {
    /** Null: it has ended. */
    beginRepair: async (repairId: string): Promise<Diagnosis | null> => (await beginRepair(platform(), repairId)) ?? null,
    askForSecrets: (repairId: string): Promise<boolean> => askForSecrets(platform(), repairId),
    repairDeploy: (repairId: string, action: 'restart' | 'put_back'): Promise<RepairDeploy> => longRunning(() => repairDeploy(platform(), repairId, action)),
    awaitDeployment: (deployId: string): Promise<boolean> => longRunning((signal) => awaitDeployment(platform(), deployId, signal)),
    proveRepair: (of: { repair_id: string; deploy_id: string; action: 'restart' | 'put_back' }): Promise<boolean> =>
      longRunning((signal) => prove(platform(), of, settings, signal)),
    endRepair: (repairId: string, end: { state: 'healed' | 'needs_human'; outcome: Fault; deploy_id?: string; tests?: TestOutcome }): Promise<void> =>
      endRepair(platform(), repairId, end),
  };
}
