// Sandboxes of a single run are removed with it; those of a user stay for the user's next run, until they are
// idle.
import type { Ctx } from '../../kernel/ctx.ts';
import { IDLE_MS } from './create.ts';

export async function removeSandboxesOf(ctx: Ctx, runId: string): Promise<void> {
  const rows = await ctx.db('sandboxes').where({ run_id: runId, scope: runId }).select('sandbox_id');
  await remove(
    ctx,
    rows.map(({ sandbox_id }) => sandbox_id),
  );
}

/** Removes rows and remains of machines that ended on their own long ago. Resolves with how many. */
export async function sweepSandboxes(ctx: Ctx): Promise<number> {
  if (!ctx.drivers.sandbox) return 0;
  const before = new Date(ctx.clock() - 6 * IDLE_MS).toISOString();
  const rows = await ctx.db('sandboxes').where('used_at', '<', before).orderBy('used_at').limit(100).select('sandbox_id');
  const idle: string[] = [];
  for (const { sandbox_id } of rows) {
    const status = await ctx.drivers.sandbox.get(sandbox_id);
    if (status?.state !== 'running') idle.push(sandbox_id);
  }
  await remove(ctx, idle);
  return idle.length;
}

async function remove(ctx: Ctx, ids: readonly string[]): Promise<void> {
  for (const sandbox_id of ids) {
    await ctx.drivers.sandbox?.remove(sandbox_id);
    await ctx.db('sandboxes').where({ sandbox_id }).delete();
  }
}
