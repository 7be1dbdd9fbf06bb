import { z } from 'zod';
import { dollars, inCurrency } from '#contract/money/dollars.ts';
import type { PayoutNoticesRow } from '#db/tables.ts';

const Details = z.object({
  run_id: z.string().optional(),
  micros: z.number().optional(),
  amount: z.number().optional(),
  currency: z.string().optional(),
  message: z.string().optional(),
  reason: z.string().nullable().optional(),
  requirements: z.array(z.string()).optional(),
});

export function noticeText(
  { kind, details }: PayoutNoticesRow,
  { baseUrl, holdDays }: { baseUrl: string; holdDays: number },
): { subject: string; text: string } {
  const of = Details.parse(details);
  const page = `Your payouts: ${baseUrl}/payouts`;
  const noticeOf = (subject: string, ...lines: string[]) => ({ subject, text: [...lines, '', page, ''].join('\n') });
  if (kind === 'transfer_reversed')
    return noticeOf(
      'A payout came back',
      `Of the payout of run ${of.run_id ?? ''}, ${dollars(of.micros ?? 0)} came back from your account at the payment processor to the platform.`,
      `It is still yours: it is held for ${holdDays} days, then a run pays it again, as a line of its own in your statement.`,
    );
  if (kind === 'bank_refused')
    return noticeOf(
      'Your bank refused a payout',
      `The payment processor sent ${inCurrency(of.amount ?? 0, of.currency ?? '')} to your bank, which refused it: ${of.message ?? 'it did not say why'}`,
      'The money is in your account at the payment processor. Correct your bank account there; it is sent again.',
    );
  const asks = of.requirements ?? [];
  return noticeOf(
    'Your payout account is restricted',
    `The payment processor pays nothing to your account any more${typeof of.reason === 'string' ? `: ${of.reason}` : ''}.`,
    ...(asks.length > 0 ? [`It asks for: ${asks.join(', ')}`] : []),
    'What you earn is held until the account is ready again. Nothing of it is lost.',
  );
}
