// A reviewer reports to the loop it reviews for.
import type { z } from 'zod';
import { MAX_POSTED_EVENTS, POSTED, type ReviewLoopEventOut } from '#contract/studio/adversarial-review-loops.ts';
import type { ReviewLoopEvent } from '#contract/states.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { act, done } from '../../kernel/act.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { refuseClaims } from './claims.ts';
import { type LoopView, postableLoop } from './find.ts';
import { workflowOfLoop } from './model.ts';
import { takeFindings, takeProposal } from './posted.ts';

interface In {
  name: string;
  job_id: string;
  event: ReviewLoopEvent;
  payload: Record<string, unknown>;
}

/**
 * Nothing that is said here ends the loop or changes the agent. @throws NotFound review_loop_not_found,
 * finding_not_found; Forbidden apply_refused; Invalid; Conflict review_loop_ended, too_many_events
 */
export async function postEvent(ctx: Ctx, i: In): Promise<ReviewLoopEventOut> {
  const { job_id } = await postableLoop(ctx, i);
  refuseClaims(i.payload);
  return act(ctx, 'review_loop.event', lockedLoop, async (ctx, loop) => {
    if (loop.ended_at !== null) throw new Conflict('review_loop_ended', `${job_id} has ended: its findings stay, and nothing is added`);
    if (loop.posted >= MAX_POSTED_EVENTS) throw new Conflict('too_many_events', `A loop takes ${MAX_POSTED_EVENTS} events of reviewers`);
    await ctx
      .db('review_loops')
      .where({ job_id })
      .update({ posted: loop.posted + 1 });
    const by = ctx.actor.kind === 'run' ? ctx.actor.agent_name : 'owner';
    const taken = await take();
    return done({ job: job_id }, { event: i.event, by, finding_ids: taken.finding_ids }, { event: i.event, ...taken });

    async function take(): Promise<Pick<ReviewLoopEventOut, 'seq' | 'finding_ids'>> {
      if (i.event === 'finding_emitted') {
        const { findings } = parsed(POSTED.finding_emitted, i.payload);
        const finding_ids = await takeFindings(ctx, loop, by, findings);
        const summaries = findings.map(({ severity, rule, title }, at) => ({ finding_id: finding_ids[at], severity, rule, title, confirmed: false }));
        const seq = await appendEvent(ctx.db, job_id, 'finding_emitted', { by, findings: summaries });
        await signalWorkflow(ctx, workflowOfLoop(job_id), 'woken');
        return { seq: seq ?? 0, finding_ids };
      }
      if (i.event === 'fix_proposed') {
        const { proposal } = parsed(POSTED.fix_proposed, i.payload);
        return { seq: await takeProposal(ctx.db, loop, by, proposal), finding_ids: [proposal.finding_id] };
      }
      return { seq: (await appendEvent(ctx.db, job_id, i.event, { by, ...parsed(POSTED[i.event], i.payload) })) ?? 0, finding_ids: [] };
    }
  });

  /** Asked again with the row locked: the reviewer may have been another one until now. */
  async function lockedLoop(ctx: Ctx): Promise<LoopView> {
    await ctx.db('review_loops').where({ job_id }).forUpdate().first('job_id');
    return postableLoop(ctx, i);
  }
}

function parsed<T extends z.ZodType>(schema: T, payload: unknown): z.output<T> {
  const read = schema.safeParse(payload);
  if (read.success) return read.data;
  throw new Invalid(
    read.error.issues.map(({ path, message }) => ({ path: ['body', 'payload', ...path.map((part) => (typeof part === 'symbol' ? '' : part))], message })),
  );
}
