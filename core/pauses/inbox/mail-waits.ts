// A mail to each user who asked for it, when something has waited for them for a while. It says who asks and
// where to answer; never what the agent wrote, which could be a lure under the platform's own name.
import { createHash } from 'node:crypto';
import type { WaitsRow } from '#db/tables.ts';
import { inOneLine } from '#drivers/mail/compose.ts';
import type { Mail } from '#drivers/mail/port.ts';
import { MAIL_CLAIM_MS, MAIL_TRIED_MS, sendOwnMail } from '../../agents/mailbox/own-mail.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { claimTimes, stillClaimed } from '../../kernel/lease.ts';
import { presentWaitCard } from '../wait/show.ts';
import { addressWaits } from './address-waits.ts';

const USERS_A_ROUND = 50;
const MOST_LISTED = 20;
/** Between two mails to one user: an agent that asks and asks fills no mailbox. */
const QUIET_SECONDS = 600;

/** `organization`: its name, where one is asked. */
type MailedWait = WaitsRow & { organization: string | null };

interface Due {
  user_id: string;
  email: string;
}

/** One round. Two processes share the users between them: each claims the mails that it writes. */
export async function mailWaits(ctx: Ctx): Promise<void> {
  const { mail } = ctx.drivers;
  if (!mail) return;
  await addressWaits(ctx);
  for (const user of await dueUsers(ctx)) {
    const claimed = await claim(ctx, user.user_id);
    if (claimed.length > 0) await send(ctx, mail, user, claimed);
  }
}

async function dueUsers(ctx: Ctx): Promise<Due[]> {
  const now = ctx.clock();
  const { rows } = await ctx.db.raw<{ rows: Due[] }>(
    `select n.user_id, u.email from notifications n join users u on u.user_id = n.user_id
     where n.mail_from is not null and (n.mailed_at is null or n.mailed_at < :quiet or n.mailed_at > :ahead)
       and exists (select 1 from wait_mails m join waits w using (wait_id) where m.user_id = n.user_id and ${UNSENT})
     limit :users`,
    { ...times(now), quiet: new Date(now - QUIET_SECONDS * 1000), users: USERS_A_ROUND },
  );
  return rows;
}

const UNSENT = `m.mailed_at is null and m.created_at > :oldest and not ${stillClaimed('m.claimed_at')} and w.state = 'pending' and w.expires_at > :now`;

function times(now: number): Record<string, Date> {
  return { ...claimTimes(now, MAIL_CLAIM_MS), oldest: new Date(now - MAIL_TRIED_MS) };
}

async function claim(ctx: Ctx, userId: string): Promise<MailedWait[]> {
  const { rows } = await ctx.db.raw<{ rows: MailedWait[] }>(
    `with claimed as (
       update wait_mails m set claimed_at = :now from waits w where m.user_id = :userId and w.wait_id = m.wait_id and ${UNSENT} returning m.wait_id
     )
     select w.*, o.name as organization from claimed join waits w using (wait_id) left join organizations o on o.organization_id = w.asked_of`,
    { ...times(ctx.clock()), userId },
  );
  return rows.toSorted((a, b) => a.expires_at.getTime() - b.expires_at.getTime());
}

async function send(ctx: Ctx, mail: Mail, { user_id, email }: Due, waits: MailedWait[]): Promise<void> {
  const ids = waits.map(({ wait_id }) => wait_id);
  const titles = waits.map(titleOf);
  const subject = titles.length === 1 ? (titles[0] ?? '') : `${titles.length} decisions wait for you`;
  // Not now: claimed as they are, the next try is in some minutes.
  if (
    !(await sendOwnMail(ctx, mail, {
      to: email,
      subject,
      text: textOf(ctx, waits, titles),
      id: `waits.${createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 32)}`,
    }))
  )
    return;
  const mailed_at = new Date(ctx.clock());
  await ctx.db('wait_mails').where({ user_id }).whereIn('wait_id', ids).update({ mailed_at });
  await ctx.db('notifications').where({ user_id }).update({ mailed_at });
}

function titleOf(row: MailedWait): string {
  const { title } = presentWaitCard(row);
  return row.organization === null ? title : `${title} (${inOneLine(row.organization)})`;
}

function textOf(ctx: Ctx, waits: MailedWait[], titles: string[]): string {
  const lines = waits
    .slice(0, MOST_LISTED)
    .map(({ expires_at }, at) => `- ${titles[at]}, until ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`);
  const more = waits.length - lines.length;
  const [first] = waits;
  return [
    'This waits for you:',
    '',
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    `Read and answer: ${ctx.config.baseUrl}/inbox${first !== undefined && waits.length === 1 ? `?wait=${first.wait_id}` : ''}`,
    '',
    `No more of these mails: ${ctx.config.baseUrl}/settings`,
    '',
  ].join('\n');
}
