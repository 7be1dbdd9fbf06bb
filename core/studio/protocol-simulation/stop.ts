import type { ProtocolSimulationOut } from '#contract/studio/protocol-simulations.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { act, done } from '../../kernel/act.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { simulationById } from './find.ts';
import { shownSimulation } from './list.ts';

/**
 * The kill switch. Its job is cancelled as any job is; the workflow ends it and removes the stage. @throws
 * Conflict simulation_ended
 */
export async function stopSimulation(ctx: Ctx, i: { name: string; job_id: string; reason: string }): Promise<ProtocolSimulationOut> {
  await act(ctx, 'rehearsal.stop', simulationById(i), async (ctx, { row }) => {
    if (row.ended_at !== null) throw new Conflict('simulation_ended', `${i.job_id} has ended: there is nothing left to stop`);
    // From now on no scenario is added.
    await ctx
      .db('protocol_simulations')
      .where({ job_id: row.job_id, closed_at: null })
      .update({ closed_at: new Date(ctx.clock()) });
    await appendEvent(ctx.db, row.job_id, 'simulation_killed', { reason: i.reason });
    await cancelJob(ctx, { job_id: row.job_id });
    return done({ job: row.job_id }, { reason: i.reason });
  });
  return shownSimulation(ctx, i);
}
