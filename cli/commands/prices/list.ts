import { Command, Option } from 'clipanion';
import { freeWords, priceWords } from '#contract/money/price-words.ts';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class PricesListCommand extends ApiCommand {
  static override paths = [['prices'], ['prices', 'list']];
  static override usage = Command.Usage({
    description: 'list what calls of the skills of an agent cost',
    details: 'A skill that is not listed costs nothing. The owner of an agent pays nothing for its calls.',
    examples: [
      ['Another agent', 'svc prices list invoice-reader'],
      ['All versions, of the project in this folder', 'svc prices list --history'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  history = Option.Boolean('--history', false, { description: 'all versions, the newest of each skill first' });
  skill = Option.String('--skill', { description: 'only of this skill' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, '.');
    const query = { limit: 200, history: this.history, ...(this.skill === undefined ? {} : { skill: this.skill }) };
    const { items, next_cursor } = await this.client().prices.list({ params: { name }, query });
    const output = this.output(this.json);
    if (items.length === 0) output.hint(`Calls of ${name} cost nothing.`);
    if (next_cursor !== null) output.hint('These are the first 200: name a skill with --skill.');
    const rows = items.map((price) => [
      price.skill,
      String(price.version),
      priceWords(price),
      freeWords(price) || '-',
      `${day(price.valid_from)} to ${price.valid_until === null ? 'now' : day(price.valid_until)}`,
    ]);
    output.result(items, () => (items.length === 0 ? [] : table(['SKILL', 'VERSION', 'COSTS', 'FREE', 'VALID (UTC)'], rows)));
    return 0;
  }
}

function day(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}
