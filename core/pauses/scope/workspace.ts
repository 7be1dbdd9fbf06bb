// What a run sees of its caller's workspace before and besides reading it.
import type { z } from 'zod';
import type { FileMatch } from '#contract/run/run-context.ts';
import type { FileType } from '#contract/wire/card.ts';
import type { Grant } from '#contract/wire/grant.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { bucketOf } from '../../workspace/grant/bucket.ts';
import { grantOfRow } from '../../workspace/grant/keys.ts';
import { searchFiles } from '../../workspace/search/search.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { isOwnLine } from './own-line.ts';
import { cardOfRun } from './card.ts';
import { grantOfToken } from './negotiate.ts';
import { isSensitive, SENSITIVE } from '#contract/wire/sensitive.ts';

/**
 * Under the grant; without one only the user's own doing sees their files, as far as its policy says. @throws
 * Forbidden grant_required
 */
export async function searchWorkspace(
  ctx: Ctx,
  i: { grant_token: string | null; query: string; types: readonly FileType[]; limit: number },
): Promise<z.infer<typeof FileMatch>[]> {
  const { query, types, limit } = i;
  const verifiedGrant = await grantOfToken(ctx, i.grant_token);
  if (verifiedGrant)
    return searchFiles(ctx, {
      bucket: verifiedGrant.grant.bucket,
      allow: verifiedGrant.grant.allow_patterns,
      deny: verifiedGrant.grant.deny_patterns,
      query,
      types,
      limit,
    });
  const run = requireRun(ctx);
  const policy = (await cardOfRun(ctx, run)).workspace_access;
  if (run.user_id === null || !policy.enabled || !(await isOwnLine(ctx.db, run)))
    throw new Forbidden('grant_required', 'A search requires a grant: request access first');
  const files = await searchFiles(ctx, { bucket: bucketOf(run.user_id), allow: ['**'], deny: [...policy.deny_patterns, ...SENSITIVE], query, types, limit });
  return files.filter(({ path }) => !isSensitive(path));
}

/** Grants given to this run, or passed on by its caller; valid ones, newest first. */
export async function grantsOfRun(ctx: Ctx): Promise<Grant[]> {
  const run = requireRun(ctx);
  const passedOn = ctx.db('runs').where({ run_id: run.run_id }).whereNotNull('grant_id').select('grant_id');
  const rows = await ctx
    .db('grants')
    .where({ audience: run.agent_name })
    .where((q) => void q.where({ run_id: run.run_id }).orWhereIn('grant_id', passedOn))
    .whereNull('revoked_at')
    .where('expires_at', '>', new Date(ctx.clock()).toISOString())
    .orderBy([
      { column: 'issued_at', order: 'desc' },
      { column: 'grant_id', order: 'desc' },
    ])
    .limit(200);
  return Promise.all(rows.map((row) => grantOfRow(ctx, row)));
}
