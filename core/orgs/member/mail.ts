// The mails of invitations. A round claims unsent ones; if its process dies, a later round claims them again
// after some minutes.
import type { OrganizationMembersRow } from '#db/tables.ts';
import { inOneLine } from '#drivers/mail/compose.ts';
import type { Mail } from '#drivers/mail/port.ts';
import { MAIL_CLAIM_MS, sendOwnMail } from '../../agents/mailbox/own-mail.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { claimTimes, stillClaimed } from '../../kernel/lease.ts';
import { invitationUrl } from './token.ts';

const A_ROUND = 50;

type Due = OrganizationMembersRow & { organization: string };

export async function mailInvitations(ctx: Ctx): Promise<void> {
  const { mail } = ctx.drivers;
  if (!mail) return;
  for (const row of await claimed(ctx)) await send(ctx, mail, row);
}

async function claimed(ctx: Ctx): Promise<Due[]> {
  const now = ctx.clock();
  const { rows } = await ctx.db.raw<{ rows: Due[] }>(
    `update organization_members m set mail_claimed_at = :now from organizations o
     where o.organization_id = m.organization_id and m.member_id in (
       select member_id from organization_members
       where state = 'invited' and mailed_at is null and expires_at > :now and not ${stillClaimed('mail_claimed_at')}
       order by created_at limit ${A_ROUND} for update skip locked)
     returning m.*, o.name as organization`,
    claimTimes(now, MAIL_CLAIM_MS),
  );
  return rows;
}

async function send(ctx: Ctx, mail: Mail, row: Due): Promise<void> {
  const { member_id, invitation } = row;
  // Not now: claimed as it is, the next try is in some minutes.
  if (!(await sendOwnMail(ctx, mail, { to: row.email, ...(await wordsOf(ctx, row)), id: `invitation.${member_id}.${invitation}` }))) return;
  await ctx.db('organization_members').where({ member_id, invitation }).update({ mailed_at: new Date(ctx.clock()) }); // prettier-ignore
}

async function wordsOf(ctx: Ctx, row: Due): Promise<{ subject: string; text: string }> {
  const organization = inOneLine(row.organization);
  const opening = row.source === 'domain' ? 'You asked to join' : 'You are invited to';
  const text = [
    `${opening} the organization "${organization}" as ${row.role}.`,
    '',
    `Accept, signed in with this address (${row.email}): ${await invitationUrl(ctx, row)}`,
    '',
    `The link works once, until ${row.expires_at?.toISOString().slice(0, 10)}. If you expected no such mail, do nothing.`,
    '',
  ];
  return { subject: `Join ${organization}`, text: text.join('\n') };
}
