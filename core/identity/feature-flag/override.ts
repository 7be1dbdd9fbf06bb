import type { Knex } from 'knex';
import type { z } from 'zod';
import { type FlagValue, misfit } from '#contract/identity/feature-flags.ts';
import type { UserFeatureFlagsOut } from '#contract/platform/admin.ts';
import { act, recorded, unchanged } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid, NotFound } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { choicesOf, valueOf } from './model.ts';
import { presentUserFlags } from './of-user.ts';

/**
 * Replaces all values that the account has of its own. Each that changes leaves an audit row. @throws
 * NotFound user_not_found, Invalid
 */
export async function overrideFlags(ctx: Ctx, i: { user_id: string; overrides: Record<string, FlagValue> }): Promise<z.infer<typeof UserFeatureFlagsOut>> {
  return act(ctx, 'feature_flag.override', requireOperator, async (ctx) => {
    // The account's row first: of two that set its values, the second sees what the first wrote.
    const account = await ctx.db('users').where({ user_id: i.user_id }).forUpdate().first('user_id');
    if (!account) throw new NotFound('user_not_found', `There is no account ${i.user_id}: list the users`);
    const wanted = new Map(Object.entries(i.overrides));
    const rows = await ctx.db('feature_flag_overrides').where({ user_id: i.user_id }).select('flag_key', 'value');
    const before = new Map(rows.map(({ flag_key, value }) => [flag_key, valueOf(value)]));
    const touched = [...new Set([...before.keys(), ...wanted.keys()])];
    await requireFit(ctx.db, wanted, touched);
    const changed = touched.filter((flag_key) => before.get(flag_key) !== wanted.get(flag_key));
    for (const flag_key of changed) {
      const [from, to] = [before.get(flag_key), wanted.get(flag_key)];
      await store(ctx.db, { user_id: i.user_id, flag_key }, to);
      await audit(ctx, 'feature_flag.override', { user: i.user_id }, { flag_key, from: from ?? null, to: to ?? null });
    }
    const flags = await presentUserFlags(ctx.db, i.user_id);
    return changed.length > 0 ? recorded(flags) : unchanged(flags);
  });
}

async function store(tx: Knex.Transaction, at: { user_id: string; flag_key: string }, to: FlagValue | undefined): Promise<void> {
  if (to === undefined) await tx('feature_flag_overrides').where(at).delete();
  else {
    const value = JSON.stringify(to);
    await tx('feature_flag_overrides')
      .insert({ ...at, value })
      .onConflict(['user_id', 'flag_key'])
      .merge({ value, updated_at: tx.raw('now()') });
  }
}

/**
 * The flags stay as they are until the transaction ends. All that change are locked in one order: each counts
 * its values.
 */
async function requireFit(tx: Knex.Transaction, wanted: Map<string, FlagValue>, touched: readonly string[]): Promise<void> {
  const rows = await tx('feature_flags')
    .whereIn('flag_key', [...touched])
    .orderBy('flag_key')
    .forUpdate()
    .select('flag_key', 'type', 'choices');
  const flags = new Map(rows.map((row) => [row.flag_key, row]));
  const issues = [...wanted].flatMap(([key, value]) => {
    const flag = flags.get(key);
    const message = flag ? misfit({ type: flag.type, choices: choicesOf(flag.choices) }, value) : 'there is no such feature flag';
    return message === undefined ? [] : [{ path: ['body', 'overrides', key], message }];
  });
  if (issues.length > 0) throw new Invalid(issues);
}
