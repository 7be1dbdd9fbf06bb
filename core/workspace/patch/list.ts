import type { z } from 'zod';
import type { PatchOut } from '#contract/run/run-context.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { verifyGrant } from '../grant/verify.ts';
import { PATCH_COLUMNS, presentPatch } from './present.ts';

const MAX_LISTED = 5_000;

/**
 * What this run changed in the grant's workspace, oldest first: a grant that superseded another shows what
 * was staged under that one too.
 */
export async function listPatches(ctx: Ctx, i: { grant_token: string }): Promise<z.infer<typeof PatchOut>[]> {
  const run = requireRun(ctx);
  const { grant } = await verifyGrant(ctx, i.grant_token);
  const rows = await ctx
    .db('patches')
    .select(...PATCH_COLUMNS)
    .where({ run_id: run.run_id, bucket: grant.bucket })
    .orderBy(['created_at', 'patch_id'])
    .limit(MAX_LISTED);
  return rows.map(presentPatch);
}
