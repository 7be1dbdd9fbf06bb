// Buying, changing and ending a plan: the first two on a page of the payment processor.
import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { openBrowser } from '../../login/browser.ts';

abstract class PageCommand extends ApiCommand {
  print = Option.Boolean('--print', false, { description: 'print the address and open nothing' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected async open(page: { url: string; test_money: boolean }): Promise<number> {
    const output = this.output(this.json);
    if (page.test_money) output.note('This installation takes test money: no real money moves.');
    output.result(page, [page.url]);
    if (!this.print && !this.json) await openBrowser(new URL(page.url));
    return 0;
  }
}

export class BillingCheckoutCommand extends PageCommand {
  static override paths = [['billing', 'checkout']];
  static override usage = Command.Usage({
    description: 'buy a plan: opens the page where you pay',
    examples: [
      ['For yourself', 'svc billing checkout pro'],
      ['For five people', 'svc billing checkout team --seats 5'],
    ],
  });

  plan = Option.String({ name: 'PLAN' });
  seats = Option.String('--seats', '1', { description: 'how many people' });

  async execute(): Promise<number> {
    if (!/^[1-9]\d{0,4}$/.test(this.seats)) throw new UsageError(`--seats must be a number from 1, not "${this.seats}".`);
    return this.open(await this.client().billing.checkout({ body: { plan: this.plan, seats: Number(this.seats) } }));
  }
}

export class BillingPortalCommand extends PageCommand {
  static override paths = [['billing', 'portal']];
  static override usage = Command.Usage({
    description: 'open the page where you change your plan and card, and pay what is open',
    examples: [['In the browser', 'svc billing portal']],
  });

  async execute(): Promise<number> {
    return this.open(await this.client().billing.portal());
  }
}

export class BillingCancelCommand extends ApiCommand {
  static override paths = [['billing', 'cancel']];
  static override usage = Command.Usage({
    description: 'end your plan when what is paid ends',
    examples: [
      ['At the end of the month', 'svc billing cancel'],
      ['Not after all', 'svc billing cancel --resume'],
    ],
  });

  resume = Option.Boolean('--resume', false, { description: 'continue the plan that was cancelled' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const billing = await this.client().billing.cancel({ body: { resume: this.resume } });
    const end = billing.subscription?.period_end.slice(0, 10) ?? 'now';
    this.output(this.json).result(billing, [this.resume ? `${billing.plan.name} continues.` : `${billing.plan.name} ends on ${end}.`]);
    return 0;
  }
}
