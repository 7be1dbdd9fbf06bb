// What a creator earned, their account at the processor, and the runs that paid them.
import { Command, Option } from 'clipanion';
import { inCurrency } from '#contract/money/dollars.ts';
import type { PayoutAccountOut } from '#contract/money/payouts.ts';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { plain, table } from '../../output.ts';
import { signedDollars } from '../../dollars.ts';

export class PayoutsEarningsCommand extends ApiCommand {
  static override paths = [['payouts', 'earnings']];
  static override usage = Command.Usage({
    description: 'show what your agents earned, what you were paid and what you are owed',
    examples: [['All your agents', 'svc payouts earnings']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const found = await this.client().payouts.earnings();
    const facts: [string, number][] = [
      ['Made', found.made_micros],
      ['Paid', found.paid_micros],
      ['Held', found.held_micros],
      ['Owed', found.owed_micros],
      ['Given', found.given_micros],
    ];
    const agents = found.agents.map((one) => [one.agent ?? 'bounties', String(one.lines), signedDollars(one.made_micros), signedDollars(one.held_micros), signedDollars(one.net_micros)]); // prettier-ignore
    output.result(found, () => [
      ...facts.map(([name, amount]) => `${name.padEnd(7)}${signedDollars(amount)}`),
      ...(agents.length === 0 ? [] : ['', ...table(['AGENT', 'LINES', 'MADE', 'HELD', 'AFTER MODELS'], agents)]),
    ]);
    output.hint(
      `Held is due ${found.hold_days} days after the call, once your payout account is ready: svc payouts account. A run pays from ${signedDollars(found.minimum_micros)} on.`,
    );
    return 0;
  }
}

export class PayoutsAccountCommand extends ApiCommand {
  static override paths = [['payouts', 'account']];
  static override usage = Command.Usage({
    description: 'show your account at the payment processor, where payouts go; --open makes it, or continues',
    examples: [
      ['Its state', 'svc payouts account'],
      ['Open it', 'svc payouts account --open --country DE'],
    ],
  });

  open = Option.Boolean('--open', false, { description: 'print the address of a page where you enter your details' });
  country = Option.String('--country', { description: 'where you are paid, two letters' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    if (this.country !== undefined && !/^[A-Z]{2}$/.test(this.country))
      throw new UsageError(`--country must be two capital letters, e.g. DE, not "${this.country}".`);
    if (this.open) {
      const made = await this.client().payouts.openAccount({ body: this.country === undefined ? {} : { country: this.country } });
      output.result(made, [made.url]);
      output.hint('Open the address in a browser, then look again: svc payouts account');
      return 0;
    }
    const found = await this.client().payouts.account();
    output.result(found, () => [
      `State   ${found.state}${found.test_money ? ' (test money: no real money moves)' : ''}`,
      ...(found.disabled_reason === null ? [] : [`Reason  ${plain(found.disabled_reason)}`]),
      ...found.requirements.map((one) => `Needs   ${plain(one)}`),
      ...(found.bank_payout === null ? [] : [bankLine(found.bank_payout)]),
    ]);
    if (found.state === 'none' || found.state === 'incomplete') output.hint('Continue with: svc payouts account --open');
    return 0;
  }
}

function bankLine({ state, amount, currency, failure }: NonNullable<PayoutAccountOut['bank_payout']>): string {
  const why = failure ? `: ${plain(failure.message)}` : '';
  return `Bank    ${inCurrency(amount, currency)} ${state.replaceAll('_', ' ')}${why}`;
}

export class PayoutsRunsCommand extends ApiCommand {
  static override paths = [['payouts', 'runs']];
  static override usage = Command.Usage({ description: 'list the runs that paid you, newest first', examples: [['The newest', 'svc payouts runs']] });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const { items, next_cursor } = await this.client().payouts.runs({ query: { limit: 100 } });
    if (items.length === 0) output.hint('No run has paid you yet. What you are owed: svc payouts earnings');
    if (next_cursor !== null) output.hint('These are the newest 100.');
    const rows = items.map((one) => [one.run_id, one.created_at, signedDollars(one.amount_micros), one.reversed_micros === 0 ? '' : signedDollars(one.reversed_micros), String(one.lines), one.error ? `${one.transfer}: ${plain(one.error.message)}` : one.transfer]); // prettier-ignore
    output.result(items, () => (items.length === 0 ? [] : table(['RUN', 'BEGAN', 'AMOUNT', 'CAME BACK', 'LINES', 'STATE'], rows)));
    return 0;
  }
}

export class PayoutsStatementCommand extends ApiCommand {
  static override paths = [['payouts', 'statement']];
  static override usage = Command.Usage({
    description: 'save the signed statement of a run that paid you, receipt by receipt',
    details: 'The file has a JSON value on each line: first the signed summary, then the lines. Check it with svc payouts verify.',
    examples: [['With its receipts', 'svc payouts statement por_… --out statement.json --receipts receipts.json']],
  });

  run = Option.String({ name: 'RUN' });
  out = Option.String('--out,-o', 'statement.json', { description: 'file to write' });
  receipts = Option.String('--receipts', { description: 'file to write the receipts to' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { save } = await import('../../payouts/statement-file.ts');
    const { payouts } = this.client();
    const params = { run_id: this.run };
    await save(await payouts.statement({ params }), this.out);
    if (this.receipts !== undefined) await save(await payouts.receipts({ params }), this.receipts);
    const output = this.output(this.json);
    output.result({ statement: this.out, receipts: this.receipts ?? null }, [this.out]);
    output.hint(`Check it with: svc payouts verify ${this.out}${this.receipts === undefined ? '' : ` --receipts ${this.receipts}`}`);
    return 0;
  }
}
