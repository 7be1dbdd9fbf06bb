import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../lib/api-command.ts';

export class FilesRmCommand extends ApiCommand {
  static override paths = [['files', 'rm']];
  static override usage = Command.Usage({ description: 'delete files of yours', examples: [['Two of them', 'svc files rm notes/a.md notes/b.md']] });

  file = Option.String({ name: 'PATH' });
  more = Option.Rest({ name: 'PATHS' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const [client, output, deleted] = [this.client(), this.output(this.json), [this.file, ...this.more]];
    for (const path of deleted) {
      await client.files.remove({ params: { path } });
      output.note(`${path} is deleted.`);
    }
    output.result({ deleted }, []);
    return 0;
  }
}
