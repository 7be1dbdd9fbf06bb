// What deployments do outside their workflow: thin over core/deploys/deployment.
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { parseManifest } from '#contract/wire/manifest.ts';
import { buildDeployment } from '#core/deploys/deployment/build.ts';
import { checkCard } from '#core/deploys/deployment/card.ts';
import { deploymentRow, endDeployment, goLive, type StepOutcome, dequeueDeployment } from '#core/deploys/deployment/stages.ts';
import { type NotTaken, noteNotTaken } from '#core/deploys/deployment/not-taken.ts';
import { startDeployment } from '#core/deploys/deployment/start.ts';
import { stopDraining, stopReplaced } from '#core/deploys/deployment/stop.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { longRunning } from './long-running.ts';

export interface DeployDeps extends Omit<Ctx, 'actor' | 'requestId'> {
  /** Name of this host; `runtime:<node>` is its task queue. */
  node: string;
  /** On all hosts together; default 1. */
  buildsAtOnce?: number;
}

/**
 * A host that was lost without a word. Its builds may be silent for long: they wait for memory, then for a
 * registry.
 */
const SILENT_BUILD_MS = 20 * 60_000;

export type DeployActivities = ReturnType<typeof createDeployActivities>;

export function createDeployActivities(deps: DeployDeps) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });
  const { node } = deps;
  return {
    takeTurn: (deployId: string): Promise<StepOutcome | 'wait'> => dequeueDeployment(platform(), deployId, deps.buildsAtOnce, node),

    /** Resolves with the host to start it on; not one of `without`, which did not take the start. */
    async buildImage(deployId: string, without: readonly string[] = []): Promise<{ node: string }> {
      const retried = activityInfo().attempt > 1;
      const work = (signal: AbortSignal, progress: () => void) => buildDeployment(platform(), deployId, { retried, node, without, signal, progress });
      return { node: await longRunning(work, { silentForMs: SILENT_BUILD_MS }) };
    },

    startInstance: (deployId: string): Promise<{ instance_id: string }> => longRunning((signal) => startDeployment(platform(), deployId, { node, signal })),

    noteNotTaken: (deployId: string, what: NotTaken): Promise<void> => noteNotTaken(platform(), deployId, what),

    async switchRoute(deployId: string, instanceId: string): Promise<StepOutcome> {
      const ctx = platform();
      const row = await deploymentRow(ctx.db, deployId);
      return goLive(ctx, deployId, instanceId, checkCard(row.card, parseManifest(row.manifest)).card);
    },

    endDeployment: (deployId: string, state: 'failed' | 'cancelled', fault: Fault): Promise<void> => endDeployment(platform(), deployId, state, fault),

    stopDraining: (deployId: string): Promise<void> => stopReplaced(platform(), deployId, { node, signal: cancellationSignal() }),

    stopDrainingEverywhere: (deployId: string): Promise<void> => stopDraining(platform(), { deploy_id: deployId }, node),

    stopAgent: (agentId: string): Promise<void> => stopDraining(platform(), { agent_id: agentId }, node),
  };
}
