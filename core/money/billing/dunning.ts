// A subscription that is not paid: mails on the first day, the third and the seventh, then its end. Each step
// once, from the day on which it was not paid.
import type { SubscriptionsRow } from '#db/tables.ts';
import { MAIL_CLAIM_MS, MAIL_TRIED_MS } from '../../agents/mailbox/own-mail.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { claimTimes, stillClaimed } from '../../kernel/lease.ts';
import { setting } from '../../kernel/settings.ts';
import { END_STEP, sendDunning, DUNNING_STEPS } from './dunning-mail.ts';

const DAY_MS = 86_400_000;
const A_ROUND = 200;

export async function dun(ctx: Ctx): Promise<void> {
  const graceMs = (await setting(ctx.db, 'unpaid_plan_days')) * DAY_MS;
  const rows = await ctx.db('subscriptions').where({ state: 'past_due' }).whereNull('end_wanted').orderBy('past_due_since').limit(A_ROUND);
  for (const row of rows) {
    if (row.past_due_since === null) continue;
    const since = row.past_due_since;
    const unpaidMs = ctx.clock() - since.getTime();
    const over = unpaidMs >= graceMs;
    if (over) await end(ctx, row);
    const due = DUNNING_STEPS.findLastIndex((days) => unpaidMs >= days * DAY_MS);
    // What was missed while nothing ran is not sent late: the newest step says it all.
    await step(ctx, row, { since, number: over ? END_STEP : due, endsAt: since.getTime() + graceMs });
  }
}

/** The account has the free plan from now on; the processor ends it at the next round. */
async function end(ctx: Ctx, { subscription_id, past_due_since, user_id, plan }: SubscriptionsRow): Promise<void> {
  await system(ctx, async (ctx) => {
    const ended = await ctx
      .db('subscriptions')
      .where({ subscription_id, state: 'past_due', past_due_since })
      .whereNull('end_wanted')
      .update({ end_wanted: 'unpaid', updated_at: new Date(ctx.clock()), revision: ctx.db.raw('revision + 1') });
    if (ended === 0 || past_due_since === null) return;
    // Free to be claimed: should this process die now, another sends the mail.
    const claimed_at = new Date(ctx.clock() - 2 * MAIL_CLAIM_MS);
    await ctx
      .db('dunning_steps')
      .insert({ subscription_id, since: past_due_since, step: END_STEP, claimed_at })
      .onConflict(['subscription_id', 'since', 'step'])
      .ignore();
    await audit(ctx, 'subscription.unpaid', { subscription: subscription_id }, { user_id, plan });
  });
}

interface Step {
  since: Date;
  number: number;
  endsAt: number;
}

async function step(ctx: Ctx, row: SubscriptionsRow, { since, number, endsAt }: Step): Promise<void> {
  const { mail } = ctx.drivers;
  if (!mail || number < 0) return;
  const now = ctx.clock();
  const times = claimTimes(now, MAIL_CLAIM_MS);
  const key = { subscription_id: row.subscription_id, since, step: number };
  const claimed = await ctx
    .db('dunning_steps')
    .insert({ ...key, claimed_at: times.now })
    .onConflict(['subscription_id', 'since', 'step'])
    .merge({ claimed_at: times.now })
    .whereNull('dunning_steps.sent_at')
    .whereRaw(`not ${stillClaimed('dunning_steps.claimed_at')}`, times)
    .returning('claimed_at');
  if (claimed.length === 0) return;
  if (await sendDunning(ctx, mail, row, { number, endsAt }))
    await ctx
      .db('dunning_steps')
      .where(key)
      .update({ sent_at: new Date(now) });
}

/** Mails of steps that could not be sent, of subscriptions that are past their turn in `dun`. */
export async function resendDunning(ctx: Ctx): Promise<void> {
  const { mail } = ctx.drivers;
  if (!mail) return;
  const now = ctx.clock();
  const rows = await ctx
    .db('dunning_steps as d')
    .join('subscriptions as s', 's.subscription_id', 'd.subscription_id')
    .where({ 'd.step': END_STEP })
    .whereNull('d.sent_at')
    .where('d.claimed_at', '>=', new Date(now - MAIL_TRIED_MS))
    .whereRaw(`not ${stillClaimed('d.claimed_at')}`, claimTimes(now, MAIL_CLAIM_MS))
    .limit(A_ROUND)
    .select<(SubscriptionsRow & { since: Date })[]>('s.*', 'd.since');
  for (const { since, ...row } of rows) await step(ctx, row, { since, number: END_STEP, endsAt: now });
}
