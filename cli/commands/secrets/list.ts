import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class SecretsListCommand extends ApiCommand {
  static override paths = [['secrets', 'list']];
  static override usage = Command.Usage({
    description: "list an agent's secrets by name; values are never shown again",
    examples: [['The project in this folder', 'svc secrets list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const listed = await this.client().agentSecrets.list({ params: { name } });
    const output = this.output(this.json);
    if (listed.missing.length > 0)
      output.hint(`${name} needs and has not: ${listed.missing.join(', ')}. Set it with: svc secrets set ${name} ${listed.missing[0]}`);
    else if (listed.items.length === 0) output.hint(`${name} has no secrets. Set one with: svc secrets set ${name} NAME`);
    output.result(listed, () => {
      if (listed.items.length === 0) return [];
      const rows = listed.items.map(({ key, version, updated_at, inject }) => [
        key,
        String(version),
        updated_at.slice(0, 19).replace('T', ' '),
        inject ? plain(`header ${inject.header} to ${inject.host}`) : 'environment',
      ]);
      return table(['NAME', 'VERSION', 'SET (UTC)', 'REACHES THE AGENT AS'], rows);
    });
    return 0;
  }
}
