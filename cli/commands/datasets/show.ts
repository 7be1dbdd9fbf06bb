import { Command, Option } from 'clipanion';
import type { DatasetItemOut } from '#contract/runs/evaluations.ts';
import { ApiCommand } from '../../command-base.ts';

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
    const items: DatasetItemOut[] = [];
    for (let cursor: string | undefined; ;) {
      const of = { params: { name: this.agent, dataset: this.dataset }, query: { limit: 200, ...(cursor !== undefined && { cursor }) } };
      const page = await this.evaluations().items(of);
      items.push(...page.items);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    const line = ({ skill, args, ...more }: DatasetItemOut): string => JSON.stringify({ skill, args, ...('expected' in more && { expected: more.expected }) });
    this.output(this.json).result(items, () => items.map(line));
    return 0;
  }
}
