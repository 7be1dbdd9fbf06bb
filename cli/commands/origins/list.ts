import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { agentName } from '../../project/name.ts';
import { shownOrigins } from './shown.ts';

export class OriginsListCommand extends ApiCommand {
  static override paths = [['origins', 'list']];
  static override usage = Command.Usage({
    description: 'list the origins whose web pages may call your agent',
    examples: [['The project in this folder', 'svc origins list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const found = await this.client().allowedOrigins.get({ params: { name } });
    const output = this.output(this.json);
    output.result(found, shownOrigins(found));
    output.hint(`Change them with: svc origins set ${name} ORIGIN ...`);
    return 0;
  }
}
