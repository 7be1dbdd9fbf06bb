// A machine that sleeps begins to wake when the decision comes in, while the engine takes it, instead of when the skill is told.
import type { Ctx } from '../../ctx.ts';

/**
 * Nothing depends on it, and whom the engine refuses has woken a machine they might have called: it is not waited for, and whoever tells the skill
 * wakes the machine as well.
 */
export function wakeAhead(ctx: Ctx, runId: string): void {
  wake(ctx, runId).catch(() => undefined);
}

async function wake(ctx: Ctx, runId: string): Promise<void> {
  const at = await ctx
    .db('runs as r')
    .join('instances as i', 'i.deploy_id', 'r.deploy_id')
    .where('r.run_id', runId)
    .whereNull('r.ended_at')
    .whereIn('i.state', ['serving', 'draining'])
    .orderBy('i.created_at', 'desc')
    .first('i.instance_id');
  if (at) await ctx.drivers.runtime.wake(at.instance_id);
}
