import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class SecretsDeleteCommand extends ApiCommand {
  static override paths = [['secrets', 'delete']];
  static override usage = Command.Usage({
    description: 'delete a secret of your agent',
    details: 'A running instance keeps its old values until it is replaced: now with --restart.',
    examples: [
      ['By name', 'svc secrets delete reporter API_TOKEN'],
      ['One that leaked, in effect at once', 'svc secrets delete reporter API_TOKEN --restart'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  key = Option.String({ name: 'NAME' });
  restart = Option.Boolean('--restart', false, { description: 'replace the live instance, so that it applies now' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    await this.client().agentSecrets.delete({ params: { name: this.agent, key: this.key }, query: { restart: this.restart } });
    const output = this.output(this.json);
    output.note(this.restart ? `${this.key} is deleted; a live agent is being started again: svc logs ${this.agent} -f` : `${this.key} is deleted.`);
    output.result({ agent: this.agent, name: this.key, deleted: true }, []);
    return 0;
  }
}
