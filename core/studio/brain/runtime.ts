// Whether an account's brain works automatically, when, and for how much.
import type { Knex } from 'knex';
import type { BrainRuntimeIn, BrainRuntimeOut } from '#contract/studio/company-brain.ts';
import type { BrainRuntimesRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';

const DEFAULTS = { enabled: false, daily_hour: 3, time_zone: 'UTC', daily_budget_cents: 0, last_night: null };

export async function runtimeOf(db: Knex, ownerId: string): Promise<BrainRuntimeOut> {
  const row = await db('brain_runtimes').where({ owner_id: ownerId }).first();
  return row ? present(row) : DEFAULTS;
}

export async function setRuntime(ctx: Ctx, i: BrainRuntimeIn): Promise<BrainRuntimeOut> {
  return act(ctx, 'brain.runtime', requireUser, async (ctx, { user_id }) => {
    const named = Object.fromEntries(Object.entries(i).filter(([, value]) => value !== undefined));
    const { last_night: _night, ...defaults } = DEFAULTS;
    const [row] = await ctx
      .db('brain_runtimes')
      .insert({ owner_id: user_id, ...defaults, ...named, updated_at: new Date(ctx.clock()) })
      .onConflict('owner_id')
      .merge({ ...named, updated_at: new Date(ctx.clock()) })
      .returning('*');
    if (!row) throw new Error('a runtime was not written');
    return done({ user: user_id }, named, present(row));
  });
}

const present = ({ enabled, daily_hour, time_zone, daily_budget_cents, last_night }: BrainRuntimesRow): BrainRuntimeOut => ({
  enabled,
  daily_hour,
  time_zone,
  daily_budget_cents,
  last_night,
});
