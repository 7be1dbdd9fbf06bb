// Sandboxes of a run alone go with it; those of a user stay for the user's next run, until they are idle.
import type { Ctx } from '../../ctx.ts';

export async function removeSandboxesOf(ctx: Ctx, runId: string): Promise<void> {
  const rows = await ctx.db('sandboxes').where({ run_id: runId, scope: runId }).select('sandbox_id');
  for (const { sandbox_id } of rows) {
    await ctx.drivers.sandbox?.remove(sandbox_id);
    await ctx.db('sandboxes').where({ sandbox_id }).delete();
  }
}
