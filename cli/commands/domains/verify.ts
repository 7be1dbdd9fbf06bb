import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { domainLines } from './shown.ts';

export class DomainsVerifyCommand extends ApiCommand {
  static override paths = [['domains', 'verify']];
  static override usage = Command.Usage({
    description: 'look at the DNS of a custom domain now: which record is missing, what was seen',
    details: 'Ends with 1 while the domain is not active.',
    examples: [['After the records were added', 'svc domains verify reporter reports.example.com']],
  });

  agent = Option.String({ name: 'AGENT' });
  hostname = Option.String({ name: 'HOSTNAME' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const domain = await this.client().agents.verifyDomain({ params: { name: this.agent, hostname: this.hostname } });
    const output = this.output(this.json);
    output.result(domain, () => domainLines(domain));
    if (domain.state === 'active') return 0;
    output.hint('\nName servers may keep an old answer for some minutes. The platform looks again automatically.');
    return EXIT.failure;
  }
}
