import { Command, Option } from 'clipanion';
import { BountyIn } from '#contract/money/bounties.ts';
import { ApiCommand } from '../../command-base.ts';
import { micros } from '../../dollars.ts';
import { UsageError } from '../../errors.ts';

export class BountiesPostCommand extends ApiCommand {
  static override paths = [['bounties', 'post']];
  static override usage = Command.Usage({
    description: 'offer a reward for an agent that you want',
    details: 'A reward is taken from your credits now. It is paid when you mark the bounty as fulfilled, and returned when you cancel it.',
    examples: [['With a reward', 'svc bounties post "Read invoices" --description "From photos." --reward 20 --tag invoices']],
  });

  title = Option.String({ name: 'TITLE' });
  description = Option.String('--description', { required: true, description: 'what it must do, as Markdown' });
  reward = Option.String('--reward', '0', { description: 'credits, worth one dollar each' });
  tags = Option.Array('--tag', [], { description: 'a tag; may be repeated' });
  input = Option.String('--example-input', { description: 'JSON' });
  result = Option.String('--example-output', { description: 'JSON' });
  proof = Option.Boolean('--require-proof', false, { description: 'only an agent whose live version has passed a proof' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const body = BountyIn.safeParse({
      title: this.title,
      description: this.description,
      reward_micros: micros('--reward', this.reward, 1_000_000),
      tags: this.tags,
      require_proof: this.proof,
      ...(this.input !== undefined && { example_input: json('--example-input', this.input) }),
      ...(this.result !== undefined && { example_output: json('--example-output', this.result) }),
    });
    if (!body.success) throw new UsageError(body.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
    const bounty = await this.client().bounties.post({ body: body.data });
    const output = this.output(this.json);
    output.hint(`Posted. Look at it with: svc bounties show ${bounty.slug}`);
    output.result(bounty, [bounty.slug]);
    return 0;
  }
}

function json(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${option} must be JSON, e.g. '{"total": 12.5}', not "${text}".`);
  }
}
