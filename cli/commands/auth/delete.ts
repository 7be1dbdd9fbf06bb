import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';

export class AuthDeleteCommand extends ApiCommand {
  static override paths = [['auth', 'delete']];
  static override usage = Command.Usage({
    description: 'remove an auth connection of an imported agent; calls stop showing it at once',
    examples: [['By the ID that svc auth status shows', 'svc auth delete weather 3']],
  });

  agent = Option.String({ name: 'AGENT' });
  id = Option.String({ name: 'CONNECTION_ID' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const connection_id = integer('CONNECTION_ID', this.id, { min: 1, max: 999_999_999 });
    await this.client().agentAuth.disconnect({ params: { name: this.agent, connection_id } });
    const output = this.output(this.json);
    output.hint(`Connection ${connection_id} of ${this.agent} is removed.`);
    output.result({ connection_id, deleted: true }, []);
    return 0;
  }
}
