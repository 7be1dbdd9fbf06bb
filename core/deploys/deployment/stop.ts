// Stops instances that no longer serve.
import type { Ctx } from '../../kernel/ctx.ts';
import { IMPORT_NODE } from '../../agents/agent/imported.ts';
import { drainingInstances, instancesWithRuns, markStopped } from './instance.ts';
import { withDeploymentLog } from './log.ts';
import { deploymentRow } from './stages.ts';

/**
 * The draining instances of the deployment's agent on host `node`, this one; those with open runs stay. Those
 * of other hosts are their reapers'.
 */
export async function stopReplaced(ctx: Ctx, deployId: string, { node, signal }: { node: string; signal: AbortSignal }): Promise<void> {
  const { agent_id, job_id } = await deploymentRow(ctx.db, deployId);
  const needed = await instancesWithRuns(ctx.db, agent_id);
  await stop(
    ctx,
    (await drainingInstances(ctx.db, { agent_id, node })).filter((id) => !needed.has(id)),
  );
  const open = [...needed.values()].reduce((sum, count) => sum + count, 0);
  if (open === 0) return;
  await withDeploymentLog(ctx, job_id, signal, async (log) =>
    log.platform(`The version before has ${open} open ${open === 1 ? 'run' : 'runs'}: its machine stays until they have ended`),
  );
}

/**
 * The draining instances of a deployment or of an agent that are on host `node`, this one, or on none. Those
 * of other hosts are their reapers'.
 */
export async function stopDraining(ctx: Ctx, of: { deploy_id: string } | { agent_id: string }, node: string): Promise<void> {
  await stop(ctx, [...(await drainingInstances(ctx.db, { ...of, node })), ...(await drainingInstances(ctx.db, { ...of, node: IMPORT_NODE }))]);
}

async function stop(ctx: Ctx, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await ctx.drivers.runtime.stop(id);
    await markStopped(ctx.db, id);
  }
}
