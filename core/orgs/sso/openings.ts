// Mail to the owners of an organization when one of them has ended its demand of single sign-on.
import type { SsoOpeningsRow } from '#db/tables.ts';
import { inOneLine } from '#drivers/mail/compose.ts';
import { MAIL_CLAIM_MS, MAIL_TRIED_MS } from '../../agents/mailbox/own-mail.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { claimTimes, stillClaimed } from '../../kernel/lease.ts';
import { mailAccount } from '../../money/account-mail.ts';

const A_ROUND = 20;

export async function addOpening({ clock, db }: TxCtx, of: { organization_id: string; opened_by: string }): Promise<void> {
  await db('sso_openings').insert({ opening_id: newId('sop', clock()), ...of, opened_at: new Date(clock()) });
}

export async function mailOpenings(ctx: Ctx): Promise<void> {
  const { mail } = ctx.drivers;
  if (!mail) return;
  for (const row of await claimed(ctx)) {
    const { opening_id, organization_id } = row;
    const id = `sso.${opening_id}`;
    const sent = await mailAccount(ctx, mail, { userId: organization_id, ...wordsOf(ctx, row), id, roles: ['owner'] });
    if (sent) await ctx.db('sso_openings').where({ opening_id }).update({ mailed_at: new Date(ctx.clock()) }); // prettier-ignore
  }
}

type Due = SsoOpeningsRow & { name: string; slug: string; email: string | null };

async function claimed({ db, clock }: Ctx): Promise<Due[]> {
  const now = clock();
  const { rows } = await db.raw<{ rows: Due[] }>(
    `with claimed as (
       update sso_openings set claimed_at = :now where opening_id in (
         select opening_id from sso_openings where mailed_at is null and opened_at > :oldest and not ${stillClaimed('claimed_at')}
         order by opened_at limit ${A_ROUND} for update skip locked
       ) returning *
     )
     select c.*, o.name, o.slug, u.email from claimed c join organizations o using (organization_id) left join users u on u.user_id = c.opened_by`,
    { ...claimTimes(now, MAIL_CLAIM_MS), oldest: new Date(now - MAIL_TRIED_MS) },
  );
  return rows;
}

function wordsOf({ config }: Ctx, { name, slug, email, opened_at }: Due): { subject: string; text: string } {
  const organization = inOneLine(name);
  const lines = [
    `At ${opened_at.toISOString().slice(0, 16).replace('T', ' ')} UTC ${email ?? 'an owner'} ended the rule that all members of "${organization}" sign in by its identity provider.`,
    'Members can act for the organization after any sign-in now.',
    '',
    `Require it again when the provider works: svc orgs sso require ${slug}, or ${config.baseUrl}/organizations/${slug}/sso`,
    'If this was not expected, look at the audit log, and end the sessions and tokens of that owner.',
    '',
  ];
  return { subject: `${organization} no longer requires single sign-on`, text: lines.join('\n') };
}
