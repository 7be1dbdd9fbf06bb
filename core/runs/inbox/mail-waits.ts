// A mail to each user who asked for it, when something has waited for them for a while. It says who asks and where to answer; never what the agent wrote,
// which could be a lure under the platform's own name.
import { randomUUID } from 'node:crypto';
import { MAIL_AFTER_SECONDS } from '#contract/runs/inbox.ts';
import type { WaitsRow } from '#db/tables.ts';
import { composeMail } from '#drivers/mail/compose.ts';
import { type Mail, SendFailed } from '#drivers/mail/port.ts';
import { signingKey } from '../../agents/mailbox/keys.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { cardOf } from '../wait/show.ts';

const USERS_A_ROUND = 50;
const MOST_LISTED = 20;
/** Between two mails to one user: an agent that asks and asks fills no mailbox. */
const QUIET_SECONDS = 600;
/** A process that claimed them and died has not sent: another tries again. */
const CLAIM_SECONDS = 300;
/** What could not be sent for so long is not news any more. */
const TRIED_FOR_SECONDS = 86_400;

interface Due {
  user_id: string;
  email: string;
}

/** One round. Two processes share the users between them: each claims the waits that it writes of. */
export async function mailWaits(ctx: Ctx): Promise<void> {
  const { mail } = ctx.drivers;
  if (!mail) return;
  for (const user of await dueUsers(ctx)) {
    const claimed = await claim(ctx, user.user_id);
    if (claimed.length > 0) await send(ctx, mail, user, claimed);
  }
}

async function dueUsers(ctx: Ctx): Promise<Due[]> {
  const now = ctx.clock();
  const { rows } = await ctx.db.raw<{ rows: Due[] }>(
    `select n.user_id, u.email from notifications n join users u on u.user_id = n.user_id
     where n.mail_from is not null and (n.mailed_at is null or n.mailed_at < :quiet) and exists (
       select 1 from waits w where w.asked_of = n.user_id and ${UNMAILED})
     limit :users`,
    { ...times(now), quiet: new Date(now - QUIET_SECONDS * 1000), users: USERS_A_ROUND },
  );
  return rows;
}

/** Of waits that were opened after the user asked for mail. */
const UNMAILED = `w.state = 'pending' and w.mailed_at is null and w.created_at >= n.mail_from and w.created_at < :before and w.created_at > :oldest
  and w.expires_at > :now and (w.mail_claimed_at is null or w.mail_claimed_at < :stale)`;

function times(now: number): Record<string, Date> {
  const ago = (seconds: number): Date => new Date(now - seconds * 1000);
  return { now: new Date(now), before: ago(MAIL_AFTER_SECONDS), oldest: ago(TRIED_FOR_SECONDS), stale: ago(CLAIM_SECONDS) };
}

async function claim(ctx: Ctx, userId: string): Promise<WaitsRow[]> {
  const { rows } = await ctx.db.raw<{ rows: WaitsRow[] }>(
    `update waits w set mail_claimed_at = :now from notifications n
     where n.user_id = :userId and w.asked_of = n.user_id and ${UNMAILED} returning w.*`,
    { ...times(ctx.clock()), userId },
  );
  return rows.toSorted((a, b) => a.expires_at.getTime() - b.expires_at.getTime());
}

async function send(ctx: Ctx, mail: Mail, { user_id, email }: Due, waits: WaitsRow[]): Promise<void> {
  const ids = waits.map(({ wait_id }) => wait_id);
  try {
    await mail.send({ envelopeFrom: '', to: email, raw: await noticeOf(ctx, mail, email, waits) });
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    // Claimed as they are: the next try is in some minutes.
    if (!error.permanent) return;
  }
  const mailed_at = new Date(ctx.clock());
  await ctx.db('waits').whereIn('wait_id', ids).update({ mailed_at });
  await ctx.db('notifications').where({ user_id }).update({ mailed_at });
}

async function noticeOf(ctx: Ctx, mail: Mail, to: string, waits: WaitsRow[]): Promise<Buffer> {
  const from = `no-reply@${mail.domain}`;
  const titles = waits.map((row) => cardOf(row).title);
  return composeMail(
    {
      automatic: 'auto-generated',
      fromName: 'svc',
      from,
      to,
      subject: titles.length === 1 ? (titles[0] ?? '') : `${titles.length} decisions wait for you`,
      text: textOf(ctx, waits, titles),
      messageId: `<${randomUUID()}@${mail.domain}>`,
      inReplyTo: undefined,
      references: [],
      date: new Date(ctx.clock()),
    },
    { domain: mail.domain, selector: mail.selector, privateKey: await signingKey(ctx, mail) },
  );
}

function textOf(ctx: Ctx, waits: WaitsRow[], titles: string[]): string {
  const lines = waits
    .slice(0, MOST_LISTED)
    .map(({ expires_at }, at) => `- ${titles[at]}, until ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`);
  const more = waits.length - lines.length;
  return [
    'This waits for you:',
    '',
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    `Read and answer: ${ctx.config.baseUrl}/inbox`,
    '',
    `No more of these mails: ${ctx.config.baseUrl}/settings`,
    '',
  ].join('\n');
}
