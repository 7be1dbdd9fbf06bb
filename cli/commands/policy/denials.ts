import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

export class PolicyDenialsCommand extends ApiCommand {
  static override paths = [['policy', 'denials']];
  static override usage = Command.Usage({
    description: 'list what your policy refused, or asked you about, newest first',
    examples: [
      ['The last twenty', 'svc policy denials'],
      ['One run', 'svc policy denials --run run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
  });

  agent = Option.String('--agent', { description: 'only of this agent' });
  run = Option.String('--run', { description: 'only of this run' });
  limit = Option.String('--limit', '20', { description: 'how many, 1 to 200' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const of = { ...(this.agent !== undefined && { agent: this.agent }), ...(this.run !== undefined && { run_id: this.run }) };
    const listed = await this.client().policy.denials({ query: { ...of, limit: integer('--limit', this.limit, { min: 1, max: 200 }) } });
    const output = this.output(this.json);
    if (listed.items.length === 0) output.note('Nothing was refused.');
    output.result(listed, () =>
      listed.items.length === 0
        ? []
        : table(
            ['AT', 'WHAT', 'OF', 'RULE', 'AGENT', 'TIMES'],
            listed.items.map((one) => [one.last_at, `${one.outcome === 'deny' ? 'refused' : 'asked'}: ${one.action}`, plain(one.resource), plain(one.rule), one.agent ?? '', String(one.count)]), // prettier-ignore
          ),
    );
    return 0;
  }
}
