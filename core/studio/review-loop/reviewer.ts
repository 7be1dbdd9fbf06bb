// The named reviewer: an agent that reads the card and what was found, in a durable run of the owner's. What
// its run gives back is taken like what it posts.
import type { Knex } from 'knex';
import type { ReviewLoopsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError, faultOf, storedFault } from '../../kernel/errors.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { system, together } from '../../kernel/act.ts';
import { startRun } from '../../runs/durable/start.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { refuseClaims } from './claims.ts';
import { specOf } from './model.ts';
import { readResult, takeFindings, takeProposal } from './posted.ts';
import type { LoopTarget } from './target.ts';

const MAX_FINDINGS_SHOWN = 50;

/**
 * none: there is no reviewer, or it was heard · waits: its run goes on · heard: what it said was taken now.
 */
export type Review = 'none' | 'waits' | 'heard';

export async function consultReviewer(ctx: Ctx, loop: ReviewLoopsRow, target: LoopTarget): Promise<Review> {
  const { reviewer } = specOf(loop);
  if (reviewer === null || loop.reviewer_heard) return 'none';
  if (loop.reviewer_run_id === null) return begin(target.ctx, loop, target, reviewer);
  const run = await ctx.db('runs').where({ run_id: loop.reviewer_run_id }).first('state', 'job_id');
  if (run && isOpenRun(run)) return 'waits';
  const job = run?.job_id ? await ctx.db('jobs').where({ job_id: run.job_id }).first('state', 'output', 'error') : undefined;
  return hear(ctx, loop, reviewer, job);
}

async function begin(ctx: LoopTarget['ctx'], loop: ReviewLoopsRow, target: LoopTarget, reviewer: string): Promise<Review> {
  const { job_id } = loop;
  const { skills, reviewer_skill } = specOf(loop);
  const findingRows = await ctx
    .db('agent_findings')
    .where({ job_id })
    .orderBy('finding_id')
    .limit(MAX_FINDINGS_SHOWN)
    .select('finding_id', 'severity', 'rule', 'skill', 'title', 'message', 'confirmed');
  const args = { job_id, agent: target.route.agentName, skills, card: target.route.card, findings: findingRows };
  try {
    // Another owner may have the name now.
    const same = await ctx.db('agents').where({ agent_id: loop.reviewer_agent_id ?? '', name: reviewer }).whereNull('deleted_at').first('agent_id'); // prettier-ignore
    if (!same)
      return await heard(ctx, job_id, 'loop_failed', { by: reviewer, error: { code: 'agent_not_found', message: `The reviewer ${reviewer} was deleted` } });
    await together(ctx, async (ctx) => {
      const { run_id } = await startRun(ctx, { userId: loop.owner_id, agent: reviewer, skill: reviewer_skill, args, parentJobId: job_id, title: `Review of ${target.route.agentName} by ${reviewer}`, idempotencyKey: `review-loop:${job_id}:reviewer` }); // prettier-ignore
      const first = await ctx.db('review_loops').where({ job_id }).whereNull('reviewer_run_id').update({ reviewer_run_id: run_id });
      if (first > 0) await appendEvent(ctx.db, job_id, 'reviewer_started', { by: 'platform', agent: reviewer, skill: reviewer_skill, run_id });
    });
    return 'waits';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return heard(ctx, job_id, 'loop_failed', { by: reviewer, error: faultOf(error) });
  }
}

async function hear(ctx: Ctx, loop: ReviewLoopsRow, by: string, job: { state: string; output: unknown; error: unknown } | undefined): Promise<Review> {
  const { job_id } = loop;
  if (job?.state !== 'succeeded')
    return heard(ctx, job_id, 'loop_failed', { by, error: storedFault(job?.error) ?? { code: 'run_lost', message: 'The run of the reviewer is gone' } });
  const result = resultIn(job.output);
  try {
    refuseClaims(result);
    const { findings, proposals, left_out } = readResult(result);
    await system(ctx, async (ctx) => {
      const row = await ctx.db('review_loops').where({ job_id, reviewer_heard: false }).forUpdate().first();
      if (!row) return;
      const ids = await takeFindings(ctx, row, by, findings);
      const summaries = findings.map(({ severity, rule, title }, at) => ({ finding_id: ids[at], severity, rule, title, confirmed: false }));
      if (summaries.length > 0) await appendEvent(ctx.db, job_id, 'finding_emitted', { by, findings: summaries });
      for (const proposal of proposals) await takeProposal(ctx.db, row, by, proposal);
      await note(ctx.db, job_id, 'loop_completed', { by, findings: summaries.length, proposals: proposals.length, left_out });
    });
    return 'heard';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return heard(ctx, job_id, 'loop_failed', { by, error: faultOf(error) });
  }
}

async function heard(ctx: Ctx, jobId: string, event: string, payload: Record<string, unknown>): Promise<Review> {
  await system(ctx, (ctx) => note(ctx.db, jobId, event, payload));
  return 'heard';
}

async function note(tx: Knex, job_id: string, event: string, payload: Record<string, unknown>): Promise<void> {
  const first = await tx('review_loops').where({ job_id, reviewer_heard: false }).update({ reviewer_heard: true });
  if (first > 0) await appendEvent(tx, job_id, event, payload);
}
