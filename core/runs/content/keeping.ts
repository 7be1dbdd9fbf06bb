// For how long an account keeps what its plain calls take and give.
import type { Ctx } from '../../kernel/ctx.ts';
import { notOnHold, ownerOfAgent } from '../../accounts/legal-hold.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import { requireUser } from '../../kernel/policy.ts';
import { isPiiSafe } from '../../policy/check.ts';

const CONTENT_DAYS = [0, 1, 7, 30] as const;
type Days = (typeof CONTENT_DAYS)[number];

const asDays = (days: number | undefined): Days => CONTENT_DAYS.find((one) => one === days) ?? 1;

export interface Keeping {
  days: Days;
  /** Of what is called now. */
  kept: boolean;
}

export async function contentKeeping(ctx: Ctx): Promise<Keeping> {
  const { user_id } = requireUser(ctx, 'run.read');
  const days = asDays((await ctx.db('users').where({ user_id }).first('keep_content_days'))?.keep_content_days);
  return { days, kept: days > 0 && !(await isPiiSafe(ctx.db, [user_id])) };
}

/** What is kept already is kept no longer than that, too. */
export async function setContentDays(ctx: Ctx, { days }: { days: Days }): Promise<Keeping> {
  await act(ctx, 'run_content.keep', requireUser, async (ctx, { user_id }) => {
    const changed = await ctx.db('users').where({ user_id }).whereNot({ keep_content_days: days }).update({ keep_content_days: days });
    if (changed === 0) return unchanged({ days });
    await ctx.db.raw(
      `update call_contents set content_until = least(content_until, coalesce(ended_at, started_at) + :days * interval '1 day') where user_id = :user_id`,
      { days, user_id },
    );
    await ctx.db.raw(
      `update call_contents set log_until = least(log_until, coalesce(ended_at, started_at) + :days * interval '1 day')
       where log_until is not null and agent_id in (select agent_id from agents where owner_id = :user_id)`,
      { days, user_id },
    );
    if (days === 0)
      await ctx
        .db('call_contents')
        .where({ user_id })
        .where(notOnHold(ownerOfAgent('call_contents.agent_id'), ctx.clock()))
        .where(notOnHold('call_contents.user_id', ctx.clock()))
        .update({ input: null, output: null, streamed: null, progress: null });
    return done({ user: user_id }, { days }, { days });
  });
  return contentKeeping(ctx);
}
