import { Command, Option } from 'clipanion';
import { MAX_FREE_CALLS, SkillPriceIn } from '#contract/money/prices.ts';
import { freeWords, priceWords } from '#contract/money/price-words.ts';
import { ApiCommand, integer } from '../../command-base.ts';
import { micros } from '../../dollars.ts';
import { UsageError } from '../../errors.ts';

const MAX_DOLLARS = 10_000;

export class PricesSetCommand extends ApiCommand {
  static override paths = [['prices', 'set']];
  static override usage = Command.Usage({
    description: 'set what calls of a skill of your agent cost from now on',
    details:
      'A caller pays for calls that succeed. The maximum cost is held before a call starts, so --max is needed where more than the call itself is charged. Calls in progress keep the old price.',
    examples: [
      ['Two cents a call, the first five free', 'svc prices set invoice-reader read --call 0.02 --free 5'],
      ['By time and tokens', 'svc prices set invoice-reader read --second 0.001 --token 0.00001 --max 0.50'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  skill = Option.String({ name: 'SKILL' });
  call = Option.String('--call', '0', { description: 'dollars of a call' });
  second = Option.String('--second', '0', { description: 'dollars of each second that it takes' });
  token = Option.String('--token', '0', { description: 'dollars of each token of language models, except on a credential of who pays' });
  artifact = Option.String('--artifact', '0', { description: 'dollars of each artifact that it makes' });
  max = Option.String('--max', { description: 'the most that a call costs, in dollars; default: as much as --call' });
  free = Option.String('--free', '0', { description: 'calls that each account may make before it pays' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const body = SkillPriceIn.safeParse({
      call_micros: micros('--call', this.call, MAX_DOLLARS),
      second_micros: micros('--second', this.second, MAX_DOLLARS),
      token_micros: micros('--token', this.token, MAX_DOLLARS),
      artifact_micros: micros('--artifact', this.artifact, MAX_DOLLARS),
      ...(this.max !== undefined && { max_micros: micros('--max', this.max, MAX_DOLLARS) }),
      free_calls: integer('--free', this.free, { min: 0, max: MAX_FREE_CALLS }),
    });
    if (!body.success) throw new UsageError(body.error.issues.map(({ path, message }) => `--${optionOf(path)}: ${message}`).join('\n'));
    const price = await this.client().prices.put({ params: { name: this.agent, skill: this.skill }, body: body.data });
    const free = freeWords(price);
    this.output(this.json).result(price, [`${this.agent}.${this.skill} costs ${priceWords(price)} from now on.${free === '' ? '' : ` ${free}`}`]);
    return 0;
  }
}

function optionOf(path: readonly PropertyKey[]): string {
  return String(path[0] ?? 'call')
    .replace('_micros', '')
    .replace('_calls', '');
}

export class PricesEndCommand extends ApiCommand {
  static override paths = [['prices', 'end']];
  static override usage = Command.Usage({
    description: 'let calls of a skill of your agent cost nothing from now on',
    examples: [['One skill', 'svc prices end invoice-reader read']],
  });

  agent = Option.String({ name: 'AGENT' });
  skill = Option.String({ name: 'SKILL' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    await this.client().prices.end({ params: { name: this.agent, skill: this.skill } });
    this.output(this.json).result({ agent: this.agent, skill: this.skill }, [`${this.agent}.${this.skill} costs nothing from now on.`]);
    return 0;
  }
}
