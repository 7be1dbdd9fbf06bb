import type { z } from 'zod';
import type { MyFeatureFlagsOut } from '#contract/identity/feature-flags.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { flagsOf } from './model.ts';

export async function myFlags(ctx: Ctx): Promise<z.infer<typeof MyFeatureFlagsOut>> {
  const { user_id } = requireUser(ctx, 'feature_flag.read');
  return { items: await flagsOf(ctx.db, user_id) };
}
