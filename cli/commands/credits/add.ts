import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { micros } from '../../dollars.ts';
import { UsageError } from '../../errors.ts';
import { openBrowser } from '../../login/browser.ts';

const MOST_DOLLARS = 100_000;

export class CreditsAddCommand extends ApiCommand {
  static override paths = [['credits', 'add']];
  static override usage = Command.Usage({
    description: 'pay in credits: opens the page where you pay',
    details: 'A credit is worth one US dollar. The credits are added when the payment processor reports the payment.',
    examples: [
      ['20 dollars', 'svc credits add 20'],
      ['Print only the address', 'svc credits add 20 --print'],
    ],
  });

  dollars = Option.String({ name: 'DOLLARS' });
  print = Option.Boolean('--print', false, { description: 'print the address and open nothing' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const amount = micros('DOLLARS', this.dollars, MOST_DOLLARS);
    if (amount % 10_000 !== 0 || amount === 0) throw new UsageError(`DOLLARS must be above 0, with at most two digits after a point, not "${this.dollars}".`);
    const checkout = await this.client().credits.checkout({ body: { amount_cents: amount / 10_000 } });
    const output = this.output(this.json);
    if (checkout.test_money) output.note('This installation takes test money: no real money moves.');
    output.hint('Pay on that page; then look with: svc credits');
    output.result(checkout, [checkout.url]);
    if (!this.print && !this.json) await openBrowser(new URL(checkout.url));
    return 0;
  }
}
