// What creators are told of by mail: written in the transaction of what happened, sent by a loop, each once.
import type { Knex } from 'knex';
import type { PayoutNoticeKind } from '#contract/states.ts';
import type { PayoutNoticesRow } from '#db/tables.ts';
import { MAIL_CLAIM_MS, MAIL_TRIED_MS } from '../../agents/mailbox/own-mail.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { claimTimes, stillClaimed } from '../../kernel/lease.ts';
import { setting } from '../../kernel/settings.ts';
import { mailAccount } from '../account-mail.ts';
import { noticeText } from './notice-words.ts';

const A_ROUND = 100;

export interface Notice {
  user_id: string;
  kind: PayoutNoticeKind;
  subject: string;
  details: Record<string, string | number | readonly string[] | null>;
  at: Date;
}

/** The same kind and subject once. */
export async function addNotice(tx: Knex, { user_id, kind, subject, details, at }: Notice): Promise<void> {
  const row = { user_id, kind, subject, details: JSON.stringify(details), created_at: at };
  await tx('payout_notices').insert(row).onConflict(['user_id', 'kind', 'subject']).ignore();
}

export async function sendNotices(ctx: Ctx): Promise<void> {
  const { mail } = ctx.drivers;
  if (!mail) return;
  const now = ctx.clock();
  const holdDays = await setting(ctx.db, 'payout_hold_days');
  for (const row of await claim(ctx.db, now)) {
    const { user_id, kind, subject } = row;
    const id = `payout.${kind}.${subject}`.replace(/[^\w.-]/g, '-');
    const sent = await mailAccount(ctx, mail, { userId: user_id, ...noticeText(row, { baseUrl: ctx.config.baseUrl, holdDays }), id });
    if (sent) await ctx.db('payout_notices').where({ user_id, kind, subject }).update({ sent_at: new Date(now) }); // prettier-ignore
  }
}

async function claim(db: Knex, now: number): Promise<PayoutNoticesRow[]> {
  const { rows } = await db.raw<{ rows: PayoutNoticesRow[] }>(
    `update payout_notices n set claimed_at = :now from (
       select user_id, kind, subject from payout_notices
       where sent_at is null and created_at > :oldest and not ${stillClaimed('claimed_at')} order by created_at limit ${A_ROUND} for update skip locked
     ) due where n.user_id = due.user_id and n.kind = due.kind and n.subject = due.subject returning n.*`,
    { ...claimTimes(now, MAIL_CLAIM_MS), oldest: new Date(now - MAIL_TRIED_MS) },
  );
  return rows;
}
