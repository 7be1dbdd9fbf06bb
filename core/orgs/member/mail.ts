// The mails of invitations. A round claims unsent ones; if its process dies, a later round claims them again after some minutes.
import { randomUUID } from 'node:crypto';
import type { OrganizationMembersRow } from '#db/tables.ts';
import { composeMail, inOneLine } from '#drivers/mail/compose.ts';
import { type Mail, SendFailed } from '#drivers/mail/port.ts';
import { signingKey } from '../../agents/mailbox/keys.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { invitationUrl } from './token.ts';

const A_ROUND = 50;
const CLAIM_MS = 300_000;

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
       where state = 'invited' and mailed_at is null and expires_at > :now and (mail_claimed_at is null or mail_claimed_at < :stale)
       order by created_at limit ${A_ROUND} for update skip locked)
     returning m.*, o.name as organization`,
    { now: new Date(now), stale: new Date(now - CLAIM_MS) },
  );
  return rows;
}

async function send(ctx: Ctx, mail: Mail, row: Due): Promise<void> {
  try {
    await mail.send({ envelopeFrom: '', to: row.email, raw: await composed(ctx, mail, row) });
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    // Claimed as it is: the next try is in some minutes.
    if (!error.permanent) return;
  }
  const sent = ctx.db('organization_members').where({ member_id: row.member_id, invitation: row.invitation });
  await sent.update({ mailed_at: new Date(ctx.clock()) });
}

async function composed(ctx: Ctx, mail: Mail, row: Due): Promise<Buffer> {
  const organization = inOneLine(row.organization);
  const asked = row.source === 'domain' ? 'You asked to join' : 'You are invited to';
  const text = [
    `${asked} the organization "${organization}" as ${row.role}.`,
    '',
    `Accept, signed in with this address (${row.email}): ${await invitationUrl(ctx, row)}`,
    '',
    `The link works once, until ${row.expires_at?.toISOString().slice(0, 10)}. If you expected no such mail, do nothing.`,
    '',
  ].join('\n');
  return composeMail(
    {
      automatic: 'auto-generated',
      fromName: 'svc',
      from: `no-reply@${mail.domain}`,
      to: row.email,
      subject: `Join ${organization}`,
      text,
      messageId: `<${randomUUID()}@${mail.domain}>`,
      inReplyTo: undefined,
      references: [],
      date: new Date(ctx.clock()),
    },
    { domain: mail.domain, selector: mail.selector, privateKey: await signingKey(ctx, mail) },
  );
}
