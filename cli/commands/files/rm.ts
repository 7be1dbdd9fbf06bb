import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class FilesRmCommand extends ApiCommand {
  static override paths = [['files', 'rm']];
  static override usage = Command.Usage({ description: 'delete files of yours', examples: [['Two of them', 'svc files rm notes/a.md notes/b.md']] });

  file = Option.String({ name: 'PATH' });
  more = Option.Rest({ name: 'PATHS' });

  async execute(): Promise<number> {
    const client = this.client();
    for (const path of [this.file, ...this.more]) {
      await client.files.remove({ params: { path } });
      this.output().note(`${path} is deleted.`);
    }
    return 0;
  }
}
