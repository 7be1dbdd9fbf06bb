// What a run reads stands in its receipt.
import type { Ctx } from '../../kernel/ctx.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { system } from '../../kernel/act.ts';
import type { FileView } from '../file/present.ts';

/** Before the content is given. A run that only looks leaves no receipt. @throws Forbidden run_ended */
export async function noteRead(ctx: Ctx, { path, sha256, size_bytes }: Pick<FileView, 'path' | 'sha256' | 'size_bytes'>): Promise<void> {
  const { actor } = ctx;
  if (actor.kind !== 'run' || actor.looks) return;
  await system(ctx, async (ctx) => {
    await ensureRun(ctx);
    await ctx.db('run_reads').insert({ run_id: actor.run_id, path, sha256, size_bytes }).onConflict(['run_id', 'path', 'sha256']).ignore();
  });
}
