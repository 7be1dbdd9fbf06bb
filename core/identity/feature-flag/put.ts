import type { Knex } from 'knex';
import type { z } from 'zod';
import { type FeatureFlagIn, type FeatureFlagOut, MAX_FLAGS, misfit } from '#contract/identity/feature-flags.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { presentFlag } from './model.ts';

/** @throws Conflict flag_limit, flag_overridden */
export async function putFlag(ctx: Ctx, i: z.output<typeof FeatureFlagIn>): Promise<z.infer<typeof FeatureFlagOut>> {
  return act(ctx, 'feature_flag.put', requireOperator, async (ctx) => {
    // One definition at a time: the count holds, and no value is written for the shape before.
    // The mode does not block overrides, which update the flag's count.
    await ctx.db.raw('lock table feature_flags in share update exclusive mode');
    const before = await ctx.db('feature_flags').where({ flag_key: i.flag_key }).forUpdate().first();
    if (!before) await requireRoom(ctx.db);
    const overrides = await ctx.db('feature_flag_overrides').where({ flag_key: i.flag_key }).select('value');
    const unfit = overrides.filter(({ value }) => misfit(i, value) !== undefined).length;
    if (unfit > 0)
      throw new Conflict('flag_overridden', `${unfit} accounts have a value of ${i.flag_key} that would not fit: change those first, or delete the flag`);
    const facts = {
      type: i.type,
      choices: i.choices === undefined ? null : JSON.stringify(i.choices),
      default_value: JSON.stringify(i.default_value),
      description: i.description,
    };
    const [row] = await ctx
      .db('feature_flags')
      .insert({ flag_key: i.flag_key, ...facts })
      .onConflict('flag_key')
      .merge({ ...facts, updated_at: ctx.db.raw('now()') })
      .returning('*');
    if (!row) throw new Error('the flag was not stored');
    const now = { type: i.type, choices: i.choices ?? null, default_value: i.default_value };
    const was = before ? { type: before.type, choices: before.choices, default_value: before.default_value } : null;
    return done({ feature_flag: i.flag_key }, { from: was, to: now }, presentFlag(row));
  });
}

async function requireRoom(tx: Knex.Transaction): Promise<void> {
  const { rows } = await tx.raw<{ rows: { count: number }[] }>('select count(*)::int as count from feature_flags');
  if ((rows[0]?.count ?? 0) >= MAX_FLAGS)
    throw new Conflict('flag_limit', `There are ${MAX_FLAGS} feature flags, which is as many as there may be: delete some`);
}
