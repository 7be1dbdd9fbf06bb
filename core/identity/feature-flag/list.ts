import type { z } from 'zod';
import type { FeatureFlagOut } from '#contract/identity/feature-flags.ts';
import type { FeatureFlagsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { presentFlag } from './model.ts';

export async function listFlags(ctx: Ctx): Promise<{ items: z.infer<typeof FeatureFlagOut>[] }> {
  requireOperator(ctx, 'feature_flag.list');
  const rows = await ctx
    .db('feature_flags as f')
    .orderBy('flag_key')
    .select<(FeatureFlagsRow & { overrides: number })[]>(
      'f.*',
      ctx.db.raw('(select count(*)::int from feature_flag_overrides o where o.flag_key = f.flag_key) as overrides'),
    );
  return { items: rows.map((row) => presentFlag(row, row.overrides)) };
}
