import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { dollars } from '../../dollars.ts';
import { plain, table } from '../../output.ts';

export class BountiesCommand extends ApiCommand {
  static override paths = [['bounties'], ['bounties', 'list']];
  static override usage = Command.Usage({
    description: 'list open bounties: what people want agents for, and what they pay',
    examples: [
      ['Open bounties, and your own', 'svc bounties'],
      ['Only your own, in every state', 'svc bounties --mine'],
    ],
  });

  mine = Option.Boolean('--mine', false, { description: 'only those that you posted or claimed' });
  tag = Option.String('--tag', { description: 'only those with this tag' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const query = { limit: 100, mine: this.mine, ...(this.tag === undefined ? {} : { tag: this.tag }) };
    const { items, next_cursor } = await this.client().bounties.list({ query });
    if (items.length === 0) output.hint('No bounties. Post one with: svc bounties post TITLE --description TEXT');
    if (next_cursor !== null) output.hint('These are the newest 100.');
    const rows = items.map((one) => [one.slug, one.state, one.reward_micros === 0 ? '-' : dollars(one.reward_micros), one.agent ?? '-', plain(one.title)]);
    output.result(items, () => (items.length === 0 ? [] : table(['BOUNTY', 'STATE', 'REWARD', 'AGENT', 'TITLE'], rows)));
    return 0;
  }
}

export class BountiesShowCommand extends ApiCommand {
  static override paths = [['bounties', 'show']];
  static override usage = Command.Usage({ description: 'show a bounty', examples: [['By its slug', 'svc bounties show read-invoices']] });

  slug = Option.String({ name: 'BOUNTY' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const bounty = await this.client().bounties.get({ params: { slug: this.slug } });
    const facts: [string, string][] = [
      ['State', bounty.state],
      ['Reward', bounty.reward_micros === 0 ? 'none' : dollars(bounty.reward_micros)],
      ['Proof', bounty.require_proof ? 'required' : 'not required'],
      ['Agent', bounty.agent ?? '-'],
      ['Tags', bounty.tags.join(', ') || '-'],
    ];
    this.output(this.json).result(bounty, () => [
      plain(bounty.title),
      ...facts.map(([name, value]) => `${name.padEnd(8)}${value}`),
      '',
      ...bounty.description.split('\n').map(plain),
      ...[['Input', bounty.example_input] as const, ['Output', bounty.example_output] as const].flatMap(([name, example]) =>
        example === null ? [] : ['', `${name}: ${plain(JSON.stringify(example))}`],
      ),
    ]);
    return 0;
  }
}
