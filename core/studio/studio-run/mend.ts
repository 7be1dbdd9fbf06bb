// What happens to source that was refused: a language model mends it while the brief lets it, else the run
// ends.
import type { StudioRunsRow } from '#db/tables.ts';
import type { Advanced } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { endStudioRun } from './end.ts';
import { lastIteration, mayMend } from './row.ts';
import { move } from './step.ts';

/** Of what was refused, as the model reads it. */
const MAX_REFUSAL = 6_000;

/** `live`: it is deployed and good enough to stay, so that the run ends as partial. */
export async function mendOrEnd(ctx: Ctx, run: StudioRunsRow, fault: Fault, { live = false }: { live?: boolean } = {}): Promise<Advanced> {
  const last = await lastIteration(ctx.db, run.run_id);
  if (last && (await mayMend(ctx.db, run))) {
    await ctx
      .db('studio_iterations')
      .where({ run_id: run.run_id, number: last.number })
      .update({ message: fault.message.slice(0, MAX_REFUSAL) });
    await move(ctx.db, run, 'improving', { actor: 'editor', status: 'began', message: fault.message.slice(0, 500) }, { built: null, deploy_id: null });
    return 'again';
  }
  await endStudioRun(ctx, run.job_id ?? '', fault, { live });
  return 'ended';
}
