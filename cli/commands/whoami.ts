import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';

export class WhoamiCommand extends ApiCommand {
  static override paths = [['whoami']];
  static override usage = Command.Usage({
    description: 'show who is signed in',
    examples: [['Your email alone', 'svc whoami --json | jq -r .email']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const me = await this.client().auth.me();
    const name = me.name === null ? '' : ` (${me.name})`;
    this.output(this.json).result({ ...me, api: this.apiUrl }, [`${me.email}${name}${me.operator ? ', operator' : ''} at ${this.apiUrl}`]);
    return 0;
  }
}
