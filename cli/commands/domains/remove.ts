import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class DomainsRemoveCommand extends ApiCommand {
  static override paths = [['domains', 'remove']];
  static override usage = Command.Usage({
    description: 'remove a custom domain from your agent at once',
    examples: [['By its name', 'svc domains remove reporter reports.example.com']],
  });

  agent = Option.String({ name: 'AGENT' });
  hostname = Option.String({ name: 'HOSTNAME' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    await this.client().agents.removeDomain({ params: { name: this.agent, hostname: this.hostname } });
    const output = this.output(this.json);
    output.hint(`${this.agent} does not answer at ${this.hostname} any more. Remove its DNS records too, so that no other user can claim it.`);
    output.result({ hostname: this.hostname, removed: true }, []);
    return 0;
  }
}
