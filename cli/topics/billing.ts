// The plan of an account: bought and changed on a page of the payment processor.
import { Option } from 'clipanion';
import { dollars } from '../lib/dollars.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { openBrowser } from '../login/browser.ts';
import { plain, table } from '../lib/output.ts';

const price = (cents: number): string => (cents === 0 ? 'free' : `${dollars(cents * 10_000)} a month and seat`);

const printOption = (): boolean => Option.Boolean('--print', false, { description: 'print the address and open nothing' });

/** Of commands that open a page of the payment processor. */
const page = {
  lines: ({ url }: { url: string }) => [url],
  hint: ({ test_money }: { test_money: boolean }) => (test_money ? 'This installation takes test money: no real money moves.' : undefined),
  after: async ({ url }: { url: string }, { print, json }: { print: boolean; json: boolean }) => {
    if (!print && !json) await openBrowser(new URL(url));
  },
};

export const commands = [
  command('billing get', {
    about: 'show your plan, what you used this month, and the plans there are',
    examples: [['Yours', 'svc billing get']],
    route: 'billing.get',
    lines: ({ plan, plans }) => {
      const rows = plans.map((one) => [
        one.plan === plan.plan ? `${one.plan} *` : one.plan,
        price(one.price_cents),
        String(one.max_seats),
        one.included_micros === 0 ? '-' : dollars(one.included_micros),
        plain(one.description),
      ]);
      return table(['PLAN', 'PRICE', 'SEATS AT MOST', 'CREDITS', 'WHAT FOR'], rows);
    },
    hint: ({ plan, seats, subscription, month, test_money }) => {
      const used = `Plan ${plan.name}${seats > 1 ? `, ${seats} seats` : ''}. This month: ${month.calls} paid calls for ${dollars(month.charges_micros)}.`;
      if (subscription?.pay_before) return `${used}\nThe last payment was declined: pay before ${subscription.pay_before.slice(0, 10)} with svc billing portal`;
      if (subscription?.cancel_at_period_end) return `${used}\nIt ends on ${subscription.period_end.slice(0, 10)}. To keep it: svc billing cancel --resume`;
      return subscription === null && test_money !== null ? `${used}\nBuy a plan with: svc billing checkout PLAN` : used;
    },
  }),
  command('billing checkout', {
    about: 'buy a plan: opens the page where you pay',
    examples: [
      ['For yourself', 'svc billing checkout pro'],
      ['For five people', 'svc billing checkout team --seats 5'],
    ],
    arguments: { plan: 'PLAN' },
    options: () => ({ print: printOption(), seats: Option.String('--seats', '1', { description: 'how many people' }) }),
    route: 'billing.checkout',
    send: ({ plan, seats }) => {
      if (!/^[1-9]\d{0,4}$/.test(seats)) throw new UsageError(`--seats must be a number from 1, not "${seats}".`);
      return { body: { plan, seats: Number(seats) } };
    },
    ...page,
  }),
  command('billing portal', {
    about: 'open the page where you change your plan and card, and pay what is open',
    examples: [['In the browser', 'svc billing portal']],
    options: () => ({ print: printOption() }),
    route: 'billing.portal',
    ...page,
  }),
  command('billing cancel', {
    about: 'end your plan when what is paid ends',
    examples: [
      ['At the end of the month', 'svc billing cancel'],
      ['Not after all', 'svc billing cancel --resume'],
    ],
    options: () => ({ resume: Option.Boolean('--resume', false, { description: 'continue the plan that was cancelled' }) }),
    route: 'billing.cancel',
    send: ({ resume }) => ({ body: { resume } }),
    lines: ({ plan, subscription }, { resume }) => [
      resume ? `${plan.name} continues.` : `${plan.name} ends on ${subscription?.period_end.slice(0, 10) ?? 'now'}.`,
    ],
  }),
  command('billing invoices', {
    about: 'list invoices of your plan, and a statement of each month of calls',
    examples: [['The newest 50', 'svc billing invoices']],
    route: 'billing.invoices',
    send: () => ({ query: { limit: 50 } }),
    json: ({ items }) => items,
    columns: {
      DAY: ({ created_at }) => created_at.slice(0, 10),
      KIND: ({ kind }) => kind,
      NUMBER: ({ number }) => number ?? '-',
      STATE: ({ state }) => state,
      AMOUNT: ({ amount_micros }) => dollars(amount_micros),
      TAX: ({ tax_micros }) => dollars(tax_micros),
      PDF: ({ pdf_url }) => pdf_url ?? '-',
    },
    empty: () => 'There are no invoices yet.',
  }),
];
