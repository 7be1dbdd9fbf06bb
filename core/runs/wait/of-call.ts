// Whether a call waits for a person, as the platform knows it: an agent that says so of itself would hold its caller's time for as long as it likes.
import type { Ctx } from '../../kernel/ctx.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { waitsBelow } from '../durable/line.ts';

/** Of another run's call, or of none, as of one that does not wait. */
export async function callWaits(ctx: Ctx, i: { run_id: string }): Promise<{ waits: boolean }> {
  const { run_id: parent_run_id } = requireRun(ctx);
  const call = await ctx.db('runs').where({ run_id: i.run_id, parent_run_id, kind: 'call', state: 'waiting' }).first('run_id');
  return { waits: call !== undefined && (await waitsBelow(ctx.db, call.run_id)).length > 0 };
}
