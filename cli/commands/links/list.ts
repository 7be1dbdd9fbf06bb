import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class LinksListCommand extends ApiCommand {
  static override paths = [['links', 'list']];
  static override usage = Command.Usage({
    description: 'list the open integration links of your agent, with their last use',
    examples: [['The project in this folder', 'svc links list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const links = await this.client().agents.integrationLinks({ params: { name } });
    const output = this.output(this.json);
    if (links.length === 0) output.hint(`${name} has no open links. Make one with: svc links create ${name}`);
    output.result(links, () => {
      if (links.length === 0) return [];
      const rows = links.map(({ link_id, label, token_placement, scopes, expires_at, last_used_at }) => [
        String(link_id),
        plain(label),
        token_placement === 'header' ? 'header' : 'address',
        scopes === null ? 'all' : plain(scopes.join(', ')),
        minute(expires_at),
        last_used_at === null ? 'never' : minute(last_used_at),
      ]);
      return table(['ID', 'LABEL', 'TOKEN IN', 'SKILLS', 'EXPIRES (UTC)', 'LAST USED (UTC)'], rows);
    });
    return 0;
  }
}

function minute(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}
