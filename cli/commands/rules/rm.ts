import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class RulesRmCommand extends ApiCommand {
  static override paths = [['rules', 'rm']];
  static override usage = Command.Usage({
    description: 'delete a rule of your agent, with the scores it gave',
    examples: [['By its name', 'svc rules rm librarian quick']],
  });

  agent = Option.String({ name: 'AGENT' });
  rule = Option.String({ name: 'RULE' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    await this.evaluations().deleteRule({ params: { name: this.agent, rule: this.rule } });
    this.output(this.json).result({ name: this.agent, rule: this.rule, deleted: true }, ['Deleted.']);
    return 0;
  }
}
