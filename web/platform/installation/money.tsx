// What accounts paid, what plans bring, and what the books say.
import { Alert } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { Facts, Section } from '../../kit/page.tsx';
import { dollars, ofCents } from '../../kit/dollars.ts';
import { number } from '../../kit/number.ts';

type Metrics = Pick<Output<'admin', 'billingMetrics'>, 'top_ups' | 'charges' | 'subscriptions' | 'invoices' | 'books' | 'test_money'>;

export function Money({ of: { top_ups, charges, subscriptions, invoices, books, test_money } }: { of: Metrics }) {
  return (
    <>
      {test_money && (
        <Alert color="orange" title="Test money">
          No real money moves on this installation.
        </Alert>
      )}
      <Section title="Credits">
        <Facts
          of={{
            'Paid in': `${dollars(top_ups.credited_micros)} in ${number(top_ups.count)} payments`,
            'Taken back': `${dollars(top_ups.taken_back_micros)} of these`,
            Taxes: ofCents(top_ups.tax_cents),
            'Paid calls': `${number(charges.count)} for ${dollars(charges.amount_micros)}, of which ${dollars(charges.fee_micros)} stay`,
          }}
        />
      </Section>
      <Section title="Plans" lead="Now, whatever the period; without the free plan.">
        <Facts
          of={{
            ...Object.fromEntries(subscriptions.map((one) => [one.plan, planWords(one)])),
            Invoices: `${number(invoices.paid)} paid for ${dollars(invoices.paid_micros)}, ${number(invoices.open)} open for ${dollars(invoices.open_micros)}`,
          }}
        />
      </Section>
      <Section title="Books" lead="Now, by the ledger.">
        <Facts
          of={{
            Wallets: `${dollars(books.wallets_micros)}, of which ${dollars(books.held_micros)} are held`,
            Given: dollars(books.promotion_micros),
            Owed: dollars(books.owed_micros),
            Losses: dollars(books.losses_micros),
            Fees: dollars(Math.max(0, books.fees_micros)),
          }}
        />
      </Section>
    </>
  );
}

function planWords({ active, past_due, seats, monthly_cents }: Metrics['subscriptions'][number]): string {
  const unpaid = past_due > 0 ? `, ${number(past_due)} not paid` : '';
  return `${number(active)} active${unpaid}, ${number(seats)} seats, ${ofCents(monthly_cents)} a month`;
}
