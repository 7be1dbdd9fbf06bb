// Ends the run of a firing: the next one takes its place (overlap: cancel_other), or an operator ended its
// workflow.
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { cancelJob } from '../../runs/job/cancel.ts';

export async function cancelFiring(ctx: Ctx, firingId: string): Promise<void> {
  const firing = await ctx
    .db('schedule_firings as f')
    .join('schedules as s', 's.schedule_id', 'f.schedule_id')
    .join('users as u', 'u.user_id', 's.owner_id')
    .where({ 'f.firing_id': firingId })
    .whereNull('f.ended_at')
    .first('f.job_id', 'u.user_id', 'u.email');
  if (!firing?.job_id) return;
  try {
    const { user_id, email } = firing;
    // On behalf of its owner, as it was started.
    await cancelJob({ ...ctx, actor: { kind: 'user', user_id, email, operator: false, via: 'bearer' } }, { job_id: firing.job_id });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}
