import type { Knex } from 'knex';
import type { z } from 'zod';
import type { UserFeatureFlagsOut } from '#contract/platform/admin.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { flagsOf } from './model.ts';

export async function flagsOfUser(ctx: Ctx, i: { user_id: string }): Promise<z.infer<typeof UserFeatureFlagsOut>> {
  requireOperator(ctx, 'feature_flag.read_user');
  await requireAccount(ctx.db, i.user_id);
  return presentUserFlags(ctx.db, i.user_id);
}

export async function presentUserFlags(db: Knex, user_id: string): Promise<z.infer<typeof UserFeatureFlagsOut>> {
  const flags = await flagsOf(db, user_id);
  const byKey = (some: typeof flags) => Object.fromEntries(some.map(({ flag_key, value }) => [flag_key, value]));
  return { user_id, overrides: byKey(flags.filter(({ overridden }) => overridden)), values: byKey(flags) };
}

/** @throws NotFound user_not_found */
async function requireAccount(db: Knex, user_id: string): Promise<void> {
  const row = await db('users').where({ user_id }).first('user_id');
  if (!row) throw new NotFound('user_not_found', `There is no account ${user_id}: list the users`);
}
