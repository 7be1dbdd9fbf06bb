import { Command, Option } from 'clipanion';
import { ApiCommand } from '../lib/api-command.ts';

export class WhoamiCommand extends ApiCommand {
  static override paths = [['whoami']];
  static override usage = Command.Usage({
    description: 'show who is signed in',
    examples: [['Only your email', 'svc whoami --json | jq -r .email']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const me = await this.client().auth.me();
    const name = me.name === null ? '' : ` (${me.name})`;
    const rights = me.operator ? ', operator' : me.acts_only_for ? `, for ${me.acts_only_for.slug} only` : '';
    this.output(this.json).result({ ...me, api: this.apiUrl }, [`${me.email}${name}${rights} at ${this.apiUrl}`]);
    return 0;
  }
}
