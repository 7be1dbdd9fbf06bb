import type { z } from 'zod';
import type { FeatureFlagOut } from '#contract/identity/feature-flags.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { presentFlag } from './model.ts';

export async function listFlags(ctx: Ctx): Promise<{ items: z.infer<typeof FeatureFlagOut>[] }> {
  requireOperator(ctx, 'feature_flag.list');
  const rows = await ctx.db('feature_flags').orderBy('flag_key');
  return { items: rows.map(presentFlag) };
}
