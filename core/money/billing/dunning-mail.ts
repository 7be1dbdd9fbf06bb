import type { Knex } from 'knex';
import type { SubscriptionsRow } from '#db/tables.ts';
import { composeMail } from '#drivers/mail/compose.ts';
import { type Mail, SendFailed } from '#drivers/mail/port.ts';
import { signingKey } from '../../agents/mailbox/keys.ts';
import type { Ctx } from '../../kernel/ctx.ts';

/** Days after which each step is due. The last step is the end, after the days that operators set. */
export const STEPS = [0, 3, 7] as const;
export const END_STEP = STEPS.length;

interface Notice {
  number: number;
  /** When the plan ends, or ended. */
  endsAt: number;
}

/** False: not now, but it may be tried again. */
export async function sendDunning(ctx: Ctx, mail: Mail, row: SubscriptionsRow, notice: Notice): Promise<boolean> {
  const key = { domain: mail.domain, selector: mail.selector, privateKey: await signingKey(ctx, mail) };
  const { subject, text } = wordsOf(ctx, row, notice);
  for (const to of await payersOf(ctx.db, row.user_id)) {
    // The same step has the same id: a mail program shows it once, should it come twice.
    const messageId = `<dunning.${row.subscription_id}.${row.past_due_since?.getTime() ?? notice.endsAt}.${notice.number}@${mail.domain}>`;
    const head = { automatic: 'auto-generated', fromName: 'svc', from: `no-reply@${mail.domain}`, to, subject, messageId } as const;
    const raw = await composeMail({ ...head, text, inReplyTo: undefined, references: [], date: new Date(ctx.clock()) }, key);
    try {
      await mail.send({ envelopeFrom: '', to, raw });
    } catch (error) {
      if (!(error instanceof SendFailed)) throw error;
      if (!error.permanent) return false;
    }
  }
  return true;
}

/** The person, or of an organization those who see to its bills. */
async function payersOf(db: Knex, user_id: string): Promise<string[]> {
  const user = await db('users').where({ user_id }).first('email', 'kind');
  if (user?.kind !== 'organization') return user && user.email !== '' ? [user.email] : [];
  const members = await db('organization_members').where({ organization_id: user_id, state: 'active' }).whereIn('role', ['owner', 'billing']).select('email');
  return members.map(({ email }) => email);
}

function wordsOf({ config }: Ctx, { plan }: SubscriptionsRow, { number, endsAt }: Notice): { subject: string; text: string } {
  const pay = `Pay, or change the card: ${config.baseUrl}/billing`;
  if (number === END_STEP) {
    const lines = [
      `The plan ${plan} has ended, because it was not paid. The account has the free plan now; nothing of it was deleted.`,
      '',
      `Buy a plan again: ${config.baseUrl}/billing`,
    ];
    return { subject: `Your plan ${plan} has ended`, text: [...lines, ''].join('\n') };
  }
  const until = new Date(endsAt).toISOString().slice(0, 10);
  const lines = [
    `The last payment for the plan ${plan} was declined.`,
    `If it is not paid until ${until}, the account has the free plan from then on. Nothing is deleted.`,
  ];
  return { subject: `Your plan ${plan} is not paid`, text: [...lines, '', pay, ''].join('\n') };
}
