import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { domainLines } from './shown.ts';

export class DomainsAddCommand extends ApiCommand {
  static override paths = [['domains', 'add']];
  static override usage = Command.Usage({
    description: 'add a host name of yours at which your agent answers',
    details: 'Prints the records to add to the DNS. The platform looks for them for three days; the agent answers at the name once the proof is there.',
    examples: [
      ['One name', 'svc domains add reporter reports.example.com'],
      ['Every name one level below', "svc domains add reporter '*.example.com'"],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  hostname = Option.String({ name: 'HOSTNAME' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const added = await this.client().agents.addDomain({ params: { name: this.agent }, body: { hostname: this.hostname } });
    const output = this.output(this.json);
    output.result(added, () => domainLines(added));
    output.hint(`\nAdd these records where the domain's DNS is kept, then: svc domains verify ${this.agent} '${added.hostname}'`);
    return 0;
  }
}
