// The steps of a review: queued → running → passed | warning | failed | errored. Each may come twice.
import { createHash } from 'node:crypto';
import type { Fault } from '../../kernel/errors.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { parseManifest } from '#contract/wire/manifest.ts';
import type { ReviewRunsRow } from '#db/tables.ts';
import { endJob, type EndLost, markRunning } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { storableJson } from '../../kernel/storable.ts';
import { recordReview } from '../finding/from-review.ts';
import { readFiles } from '../../agents/source/read-files.ts';
import { judgeApart } from './apart.ts';
import { LOCK_FILES } from './locked.ts';
import { maxReviewedBytes } from './project.ts';

export interface ReviewSettings {
  /** A file of OSV records; absent: advisories are not looked for. */
  advisoriesFile?: string | undefined;
}

const openReviews = ['queued', 'running'] as const;

/** Resolves false when it has ended. */
export async function beginReview(ctx: Ctx, reviewId: string): Promise<boolean> {
  return system(ctx, async (ctx) => {
    await ctx
      .db('review_runs')
      .where({ review_id: reviewId, state: 'queued' })
      .update({ state: 'running', started_at: ctx.db.raw('now()') });
    const row = await reviewRow(ctx.db, reviewId);
    if (row?.state !== 'running') return false;
    await markRunning(ctx.db, row.job_id);
    return true;
  });
}

/** Reads the source and writes the verdict. @throws what the storage fails with; then there is no verdict */
export async function runReview(ctx: Ctx, reviewId: string, { advisoriesFile }: ReviewSettings): Promise<void> {
  const row = await reviewRow(ctx.db, reviewId);
  const deployment = row && (await ctx.db('deployments').where({ deploy_id: row.deploy_id }).first('source_key', 'card', 'manifest'));
  if (!row || !deployment) return;
  const files = await readFiles(await ctx.drivers.storage.get(deployment.source_key), maxReviewedBytes * 8);
  const lock = createHash('sha256');
  for (const { path, content } of files) if (LOCK_FILES.includes(path)) lock.update(path).update(content);
  const lock_sha256 = files.some(({ path }) => LOCK_FILES.includes(path)) ? lock.digest('hex') : null;
  const verdict = await judgeApart({
    files,
    card: AgentCard.parse(deployment.card),
    manifest: parseManifest(deployment.manifest),
    lockSince: lock_sha256 === null ? undefined : await firstSeen(ctx, row.agent_id, lock_sha256),
    advisoriesFile,
    now: new Date(ctx.clock()),
  });
  const { state, summary, findings, counts } = verdict;
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('review_runs')
      .where({ review_id: reviewId })
      .whereIn('state', [...openReviews])
      .update({
        state,
        summary,
        lock_sha256,
        findings: storableJson(findings),
        critical_count: counts.critical,
        warning_count: counts.warning,
        info_count: counts.info,
        ended_at: ctx.db.raw('now()'),
      });
    if (moved === 0) return;
    await recordReview(ctx, { agentId: row.agent_id, deployId: row.deploy_id, jobId: row.job_id, findings });
    await audit(ctx, `review.${state}`, { review: reviewId }, { deploy_id: row.deploy_id, ...counts });
    await endJob(ctx.db, row.job_id, { output: { review_id: reviewId, status: state, ...counts } });
  });
}

/** No verdict: the deployment is live all the same. */
export async function endReview(ctx: Ctx, reviewId: string, fault: Fault): Promise<void> {
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('review_runs')
      .where({ review_id: reviewId })
      .whereIn('state', [...openReviews])
      .update({ state: 'errored', summary: 'No verdict', error: storableJson(fault), ended_at: ctx.db.raw('now()') });
    const row = await reviewRow(ctx.db, reviewId);
    if (row) await endJob(ctx.db, row.job_id, { fault });
    if (moved > 0) await audit(ctx, 'review.errored', { review: reviewId }, { code: fault.code });
  });
}

async function reviewRow(db: Ctx['db'], reviewId: string): Promise<ReviewRunsRow | undefined> {
  return db('review_runs').where({ review_id: reviewId }).first();
}

async function firstSeen({ db }: Ctx, agentId: string, lockSha256: string): Promise<Date | undefined> {
  return (await db('review_runs').where({ agent_id: agentId, lock_sha256: lockSha256 }).orderBy('created_at').first('created_at'))?.created_at;
}

/** Its workflow is gone. */
export const abandonReview: EndLost = async (ctx, job_id, fault) => {
  const row = await ctx.db('review_runs').where({ job_id }).first('review_id');
  if (row) await endReview(ctx, row.review_id, fault);
};
