import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class DatasetsRmCommand extends ApiCommand {
  static override paths = [['datasets', 'rm']];
  static override usage = Command.Usage({
    description: 'delete a dataset of your agent, or one example of it',
    examples: [
      ['All of it', 'svc datasets rm librarian questions'],
      ['One example, by the id that --json shows', 'svc datasets rm librarian questions --item itm_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  dataset = Option.String({ name: 'DATASET' });
  item = Option.String('--item', { description: 'only this example' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const params = { name: this.agent, dataset: this.dataset };
    if (this.item === undefined) await this.evaluations().deleteDataset({ params });
    else await this.evaluations().deleteItem({ params: { ...params, item_id: this.item } });
    this.output(this.json).result({ ...params, item_id: this.item ?? null, deleted: true }, ['Deleted.']);
    return 0;
  }
}
