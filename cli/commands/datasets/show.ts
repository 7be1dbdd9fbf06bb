import { Command, Option } from 'clipanion';
import type { DatasetItemOut } from '#contract/quality/evaluations.ts';
import { ApiCommand } from '../../command-base.ts';
import { allExamples } from '../../evaluation/client.ts';

export class DatasetsShowCommand extends ApiCommand {
  static override paths = [['datasets', 'show']];
  static override usage = Command.Usage({
    description: 'print the examples of a dataset, one a line, as svc datasets add reads them',
    examples: [['Into a file', 'svc datasets show librarian questions > questions.jsonl']],
  });

  agent = Option.String({ name: 'AGENT' });
  dataset = Option.String({ name: 'DATASET' });
  json = Option.Boolean('--json', false, { description: 'print JSON, with ids' });

  async execute(): Promise<number> {
    const items = await allExamples(this.evaluations(), { name: this.agent, dataset: this.dataset });
    const line = ({ skill, args, ...more }: DatasetItemOut): string => JSON.stringify({ skill, args, ...('expected' in more && { expected: more.expected }) });
    this.output(this.json).result(items, () => items.map(line));
    return 0;
  }
}
