import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class DatasetsListCommand extends ApiCommand {
  static override paths = [['datasets', 'list']];
  static override usage = Command.Usage({
    description: 'list the datasets of your agent',
    examples: [['The project in this folder', 'svc datasets list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const { items } = await this.evaluations().datasets({ params: { name } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint(`${name} has no datasets. Make one with: svc datasets add ${name} DATASET --file examples.jsonl`);
    const rows = items.map(({ dataset, items: examples, created_at }) => [dataset, String(examples), created_at.slice(0, 10)]);
    output.result(items, () => (items.length === 0 ? [] : table(['DATASET', 'EXAMPLES', 'SINCE'], rows)));
    return 0;
  }
}
