import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../command-base.ts';
import { dollars } from '../dollars.ts';
import { table } from '../output.ts';

export class ChargesCommand extends ApiCommand {
  static override paths = [['charges']];
  static override usage = Command.Usage({
    description: 'list what you paid for calls of skills that have a price, newest first',
    examples: [
      ['The newest 50', 'svc charges'],
      ['One agent', 'svc charges --agent invoice-reader --limit 200'],
    ],
  });

  agent = Option.String('--agent', { description: 'only of this agent' });
  limit = Option.String('--limit,-n', '50', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 200 });
    const { items } = await this.client().charges.list({ query: { limit, ...(this.agent === undefined ? {} : { agent: this.agent }) } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint('You have paid for no calls.');
    const rows = items.map((one) => [
      one.started_at.slice(0, 19).replace('T', ' '),
      `${one.agent ?? '-'}.${one.skill}`,
      one.free ? 'free' : one.state,
      one.amount_micros === null ? `up to ${dollars(one.held_micros)}` : dollars(one.amount_micros),
      one.receipt_id ?? '-',
    ]);
    output.result(items, () => (items.length === 0 ? [] : table(['BEGAN (UTC)', 'CALL', 'STATE', 'COST', 'RECEIPT'], rows)));
    return 0;
  }
}
