// How an account is notified of pending requests. Without a row there are no notifications: mail is opt-in.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { NotificationsOut } from '#contract/pauses/inbox.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';

type Notifications = z.infer<typeof NotificationsOut>;

export async function readNotifications(ctx: Ctx): Promise<Notifications> {
  const { user_id } = requireUser(ctx, 'notifications.read');
  return present(ctx, ctx.db, user_id);
}

export async function setNotifications(ctx: Ctx, i: { mail: boolean }): Promise<Notifications> {
  return act(ctx, 'notifications.set', requireUser, async (ctx, { user_id }) => {
    // What waits now is on the page that this is set on.
    const from = new Date(ctx.clock());
    await ctx
      .db('notifications')
      .insert({ user_id, mail_from: i.mail ? from : null })
      .onConflict('user_id')
      .merge();
    return done({ user: user_id }, { mail: i.mail }, await present(ctx, ctx.db, user_id));
  });
}

async function present(ctx: Ctx, db: Knex, userId: string): Promise<Notifications> {
  const [row, user] = await Promise.all([
    db('notifications').where({ user_id: userId }).first('mail_from'),
    db('users').where({ user_id: userId }).first('email'),
  ]);
  return { mail: row?.mail_from != null, mail_served: ctx.drivers.mail !== undefined, address: user?.email ?? '' };
}
