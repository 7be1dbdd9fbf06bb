import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class DomainsListCommand extends ApiCommand {
  static override paths = [['domains', 'list']];
  static override usage = Command.Usage({
    description: 'list the custom domains of your agent, with what is missing',
    examples: [['The project in this folder', 'svc domains list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const domains = await this.client().agents.domains({ params: { name } });
    const output = this.output(this.json);
    if (domains.length === 0) output.hint(`${name} has no custom domains. Add one with: svc domains add ${name} shop.example.com`);
    output.result(domains, () => {
      if (domains.length === 0) return [];
      const rows = domains.map(({ display_name, state, certificate, problem }) => [
        plain(display_name),
        state,
        certificate === null ? '-' : (certificate.not_after?.slice(0, 10) ?? 'none yet'),
        plain(problem ?? certificate?.problem ?? ''),
      ]);
      return table(['DOMAIN', 'STATE', 'CERTIFICATE UNTIL', 'PROBLEM'], rows);
    });
    return 0;
  }
}
