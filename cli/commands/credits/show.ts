import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { dollars, changeInDollars } from '../../dollars.ts';
import { table } from '../../output.ts';

export class CreditsCommand extends ApiCommand {
  static override paths = [['credits'], ['credits', 'show']];
  static override usage = Command.Usage({
    description: 'show your credits and the entries that they add up from',
    examples: [
      ['The balance and the last entries', 'svc credits'],
      ['More of them', 'svc credits --limit 100'],
    ],
  });

  limit = Option.String('--limit', '20', { description: 'how many entries, at most 200' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const wallet = await this.client().credits.wallet({ query: { limit: Number(this.limit) } });
    const held = wallet.held_micros > 0 ? `, of which ${dollars(wallet.held_micros)} are held for calls under way` : '';
    output.note(`${dollars(wallet.balance_micros)} in credits${held}.`);
    if (wallet.blocked) output.hint(`${dollars(wallet.owed_micros)} are owed: a payment was taken back after it was spent. Pay with: svc credits add`);
    else if (wallet.items.length === 0) output.hint('Add some with: svc credits add 20');
    const rows = wallet.items.map((one) => [
      one.at.slice(0, 16).replace('T', ' '),
      one.kind,
      changeInDollars(one.amount_micros),
      dollars(one.after_micros),
      Object.values(one.refs)[0] ?? '-',
    ]);
    output.result(wallet, () => (rows.length === 0 ? [] : table(['WHEN', 'KIND', 'AMOUNT', 'BALANCE', 'OF'], rows)));
    return 0;
  }
}

export class CreditsTopUpsCommand extends ApiCommand {
  static override paths = [['credits', 'top-ups']];
  static override usage = Command.Usage({ description: 'list what you paid in', examples: [['The newest 50', 'svc credits top-ups']] });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().credits.topUps({ query: { limit: 50 } });
    const cents = (amount: number): string => dollars(amount * 10_000);
    const rows = items.map((one) => [
      one.created_at.slice(0, 10),
      one.state,
      cents(one.amount_cents),
      cents(one.tax_cents),
      one.taken_back_micros > 0 ? dollars(one.taken_back_micros) : '-',
      one.top_up_id,
    ]);
    const output = this.output(this.json);
    if (items.length === 0) output.hint('No payments yet. Add credits with: svc credits add 20');
    output.result(items, () => (rows.length === 0 ? [] : table(['DAY', 'STATE', 'CREDITS', 'TAX', 'TAKEN BACK', 'TOP-UP'], rows)));
    return 0;
  }
}
