import type { z } from 'zod';
import type { ReviewFindingOut, ReviewRunOut } from '#contract/quality/review-runs.ts';
import type { ReviewRunsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound, storedFault } from '../../kernel/errors.ts';
import { agentFor } from '../../agents/agent/find.ts';

type Review = z.infer<typeof ReviewRunOut>;

export async function listReviews(ctx: Ctx, i: { name: string; limit: number }): Promise<Review[]> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'review.read', i.name);
  const newest = [
    { column: 'created_at', order: 'desc' as const },
    { column: 'review_id', order: 'desc' as const },
  ];
  const rows = await ctx.db('review_runs').where({ agent_id }).orderBy(newest).limit(i.limit);
  return rows.map((row) => presentReview(i.name, row));
}

/** @throws NotFound agent_not_found, review_not_found */
export async function latestReview(ctx: Ctx, i: { name: string }): Promise<Review> {
  const [newest] = await listReviews(ctx, { ...i, limit: 1 });
  if (!newest) throw new NotFound('review_not_found', `${i.name} has not been reviewed yet: a review begins when a deploy has gone live`);
  return newest;
}

/** @throws NotFound agent_not_found, review_not_found */
export async function getReview(ctx: Ctx, i: { name: string; review_id: string }): Promise<Review> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'review.read', i.name);
  const row = await ctx.db('review_runs').where({ agent_id, review_id: i.review_id }).first();
  if (!row) throw new NotFound('review_not_found', `${i.name} has no review ${i.review_id}: list its reviews`);
  return presentReview(i.name, row);
}

function presentReview(agent: string, row: ReviewRunsRow): Review {
  const { review_id, deploy_id, job_id, ref, state, summary, critical_count, warning_count, info_count, started_at, ended_at } = row;
  return {
    review_id,
    agent,
    deploy_id,
    job_id,
    ref,
    status: state,
    summary,
    findings: findingsOf(row.findings),
    critical_count,
    warning_count,
    info_count,
    error: storedFault(row.error),
    elapsed_ms: started_at && ended_at ? Math.max(0, ended_at.getTime() - started_at.getTime()) : null,
    created_at: row.created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    ended_at: ended_at?.toISOString() ?? null,
  };
}

// Safe: only review() writes them.
function findingsOf(findings: unknown): ReviewFindingOut[] {
  return findings as ReviewFindingOut[];
}
