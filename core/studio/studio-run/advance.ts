// The next step of a run; each may come twice. Only its rows say how far it is.
import type { StudioState } from '#contract/states.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { type Advanced, markRunning } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, DomainError, faultOf, GatewayTimeout, PlatformFailed, TooManyRequests, Unavailable } from '../../kernel/errors.ts';
import { callSamples } from './call-samples.ts';
import { challenge } from './challenge.ts';
import { checkSource } from './check-source.ts';
import { deploy } from './deploy.ts';
import { endStudioRun } from './end.ts';
import { improve } from './improve.ts';
import { reviewSourceStep } from './review-source.ts';
import { move } from './step.ts';
import { writeFirst } from './write-first.ts';

/** `node`: name of this host, where it builds. */
export type StudioStep = (ctx: Ctx, run: StudioRunsRow, signal: AbortSignal, node?: string) => Promise<Advanced>;

/** Another part is away, or busy: tried again for a while. */
const PASSING = [PlatformFailed, BadGateway, Unavailable, GatewayTimeout, TooManyRequests];

const STEPS: Partial<Record<StudioState, StudioStep>> = {
  queued: async (ctx, run) => {
    await markRunning(ctx.db, run.job_id);
    await move(ctx.db, run, 'building', { actor: 'coordinator', status: 'began', message: 'The source is written' });
    return 'again';
  },
  building: writeFirst,
  // Before the deployment its source is checked; after it the live agent is.
  evaluating: (ctx, run, signal, node) => (run.deploy_id === null ? checkSource : callSamples)(ctx, run, signal, node),
  reviewing: (ctx, run, signal) => (run.deploy_id === null ? reviewSourceStep : challenge)(ctx, run, signal),
  improving: improve,
  deploying: deploy,
};

export async function advanceStudio(ctx: Ctx, jobId: string, signal: AbortSignal, node?: string): Promise<Advanced> {
  const run = await ctx.db('studio_runs').where({ job_id: jobId }).first();
  const step = run && run.ended_at === null ? STEPS[run.state] : undefined;
  if (!run || !step) return 'ended';
  if (run.deadline_at.getTime() <= ctx.clock()) {
    await endStudioRun(ctx, jobId, { code: 'studio_late', message: 'It took longer than an hour' });
    return 'ended';
  }
  try {
    return await step(ctx, run, signal, node);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof DomainError) || PASSING.some((passing) => error instanceof passing)) throw error;
    // What an account may not do, or what it lacks, does not come by trying again.
    const { code, message, issues } = faultOf(error);
    await endStudioRun(ctx, jobId, { code, message, ...(issues && { issues }) });
    return 'ended';
  }
}
