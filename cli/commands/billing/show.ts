import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { dollars } from '../../dollars.ts';
import { plain, table } from '../../output.ts';

const price = (cents: number): string => (cents === 0 ? 'free' : `${dollars(cents * 10_000)} a month and seat`);

export class BillingCommand extends ApiCommand {
  static override paths = [['billing'], ['billing', 'show']];
  static override usage = Command.Usage({
    description: 'show your plan, what you used this month, and the plans there are',
    examples: [['Yours', 'svc billing']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const billing = await this.client().billing.get();
    const { plan, seats, subscription, month } = billing;
    output.note(`Plan ${plan.name}${seats > 1 ? `, ${seats} seats` : ''}. This month: ${month.calls} paid calls for ${dollars(month.charges_micros)}.`);
    if (subscription?.pay_before) output.hint(`The last payment was declined: pay before ${subscription.pay_before.slice(0, 10)} with svc billing portal`);
    else if (subscription?.cancel_at_period_end) output.hint(`It ends on ${subscription.period_end.slice(0, 10)}. To keep it: svc billing cancel --resume`);
    else if (subscription === null && billing.test_money !== null) output.hint('Buy a plan with: svc billing checkout PLAN');
    const rows = billing.plans.map((one) => [
      one.plan === plan.plan ? `${one.plan} *` : one.plan,
      price(one.price_cents),
      String(one.max_seats),
      one.included_micros === 0 ? '-' : dollars(one.included_micros),
      plain(one.description),
    ]);
    output.result(billing, () => table(['PLAN', 'PRICE', 'SEATS AT MOST', 'CREDITS', 'WHAT FOR'], rows));
    return 0;
  }
}

export class BillingInvoicesCommand extends ApiCommand {
  static override paths = [['billing', 'invoices']];
  static override usage = Command.Usage({
    description: 'list invoices of your plan, and a statement of each month of calls',
    examples: [['The newest 50', 'svc billing invoices']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().billing.invoices({ query: { limit: 50 } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint('There are no invoices yet.');
    const rows = items.map((one) => [
      one.created_at.slice(0, 10),
      one.kind,
      one.number ?? '-',
      one.state,
      dollars(one.amount_micros),
      dollars(one.tax_micros),
      one.pdf_url ?? '-',
    ]);
    output.result(items, () => (rows.length === 0 ? [] : table(['DAY', 'KIND', 'NUMBER', 'STATE', 'AMOUNT', 'TAX', 'PDF'], rows)));
    return 0;
  }
}
