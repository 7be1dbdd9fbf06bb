import type { SubscriptionsRow } from '#db/tables.ts';
import type { Mail } from '#drivers/mail/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { mailAccount } from '../account-mail.ts';

/** Days after which each step is due. The last step is the end, after the days that operators set. */
export const DUNNING_STEPS = [0, 3, 7] as const;
export const END_STEP = DUNNING_STEPS.length;

interface Notice {
  number: number;
  /** When the plan ends, or ended. */
  endsAt: number;
}

/** False: not now, but it may be tried again. */
export async function sendDunning(ctx: Ctx, mail: Mail, row: SubscriptionsRow, notice: Notice): Promise<boolean> {
  const id = `dunning.${row.subscription_id}.${row.past_due_since?.getTime() ?? notice.endsAt}.${notice.number}`;
  return mailAccount(ctx, mail, { userId: row.user_id, ...wordsOf(ctx, row, notice), id });
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
