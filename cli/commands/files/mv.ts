import { Command, Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { CliError, UsageError } from '../../lib/errors.ts';

export class FilesMvCommand extends ApiCommand {
  static override paths = [['files', 'mv']];
  static override usage = Command.Usage({
    description: 'move or rename a file or a folder of yours, at once',
    details:
      'What ends with "/" is a folder; a file that is moved to a folder keeps its name. What is there already stays, unless --force is given. Grants are for paths: they do not move along.',
    examples: [
      ['Rename a file', 'svc files mv notes/today.md notes/yesterday.md'],
      ['Into a folder', 'svc files mv report.pdf reports/'],
      ['A whole folder', 'svc files mv drafts/ archive/drafts/'],
    ],
  });

  from = Option.String({ name: 'FROM' });
  to = Option.String({ name: 'TO' });
  force = Option.Boolean('--force,-f', false, { description: 'replace what is there' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    try {
      return this.from.endsWith('/') ? await this.#folder() : await this.#file();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'path_taken')
        throw new CliError(`${error.message.split(': choose')[0]}: choose another path, or --force to replace it.`, undefined, { cause: error });
      throw error;
    }
  }

  async #folder(): Promise<number> {
    if (!this.to.endsWith('/')) throw new UsageError(`${this.from} is a folder: end the other path with "/" too, e.g. ${this.to}/`);
    const moved = await this.client().files.moveFolder({ body: { from: this.from, to: this.to, overwrite: this.force } });
    this.output(this.json).result(moved, [moved.to]);
    return 0;
  }

  async #file(): Promise<number> {
    const to = this.to.endsWith('/') ? `${this.to}${this.from.slice(this.from.lastIndexOf('/') + 1)}` : this.to;
    const moved = await this.client().files.move({ body: { from: this.from, to, overwrite: this.force } });
    this.output(this.json).result(moved, [moved.path]);
    return 0;
  }
}
