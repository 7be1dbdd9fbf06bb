import type { z } from 'zod';
import type { JobOut } from '#contract/runs/work-ledger.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { isTerminal, openStates } from '../../jobs/model.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { cancelWorkflow } from '../../outbox/messages.ts';
import { jobFor } from './find.ts';
import { presentJob } from './present.ts';

const requested = 'job.cancel_requested';

/**
 * Asks the job's workflow to stop; the workflow undoes what it began and ends the job. Work without a
 * workflow ends here. Asking again changes nothing. @throws Conflict job_ended
 */
export async function cancelJob(ctx: Ctx, i: { job_id: string }): Promise<z.infer<typeof JobOut>> {
  return act(ctx, 'job.cancel', requireUser, async (ctx, user) => {
    const job = await jobFor(ctx.db, user, 'job.cancel', i.job_id, true);
    if (isTerminal(job.state))
      throw new Conflict('job_ended', `The job has ended already (${job.state}): there is nothing left to cancel`, { state: job.state });
    // It is undone by nothing: its accounts are closed already.
    if (job.kind === 'purge' && job.state !== 'queued') throw new Conflict('purge_under_way', 'A purge cannot be cancelled after its start: follow its events');
    const again = await ctx.db('job_events').where({ job_id: job.job_id, kind: requested }).first('seq');
    if (again) return unchanged(presentJob(job));
    await appendEvent(ctx.db, job.job_id, requested, { by: personOf(user) });
    if (job.workflow_id === null || job.kind === 'purge') {
      await transitionJob(ctx.db, job.job_id, { from: openStates, to: 'cancelled', error: { code: 'cancelled', message: 'Cancelled before it began' } });
    } else {
      await cancelWorkflow(ctx, job.workflow_id);
    }
    return done({ job: job.job_id }, { kind: job.kind }, presentJob(await jobFor(ctx.db, user, 'job.cancel', job.job_id)));
  });
}
