import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { MAX_FILE_BYTES } from '#contract/wire/limits.ts';
import { ApiCommand } from '../../command-base.ts';
import { CliError, UsageError } from '../../errors.ts';

export class FilesPutCommand extends ApiCommand {
  static override paths = [['files', 'put']];
  static override usage = Command.Usage({
    description: 'store a file among yours; what was at the path before is replaced',
    details: `PATH is where it goes (default: the name of the file); one that ends with "/" is a folder. FILE - is standard input, and needs a PATH. At most ${MAX_FILE_BYTES / 2 ** 20} MiB.`,
    examples: [
      ['Under its own name', 'svc files put report.pdf'],
      ['Into a folder', 'svc files put report.pdf reports/'],
      ['Only when there is none yet', 'date | svc files put - notes/today.md --new'],
    ],
  });

  file = Option.String({ name: 'FILE' });
  to = Option.String({ required: false, name: 'PATH' });
  new = Option.Boolean('--new', false, { description: 'only when there is no file at the path yet' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const form = new FormData();
    const path = this.#target();
    form.set('path', path);
    form.set('file', await this.#content(), basename(path));
    try {
      const stored = await this.client().files.upload({ body: form, headers: this.new ? { 'if-none-match': '*' } : {} });
      this.output(this.json).result(stored, [stored.path]);
      return 0;
    } catch (error) {
      if (error instanceof ApiError && error.status === 412)
        throw new CliError(`${path} is there already: leave --new out to replace it.`, undefined, { cause: error });
      throw error;
    }
  }

  #target(): string {
    if (this.to !== undefined && !this.to.endsWith('/')) return this.to;
    if (this.file === '-') throw new UsageError('Standard input has no name: give the PATH, e.g. svc files put - notes/today.md');
    return `${this.to ?? ''}${basename(this.file)}`;
  }

  async #content(): Promise<Blob> {
    if (this.file === '-') return new Blob([new Uint8Array(await buffer(this.context.stdin))]);
    const found = await stat(this.file).catch(() => undefined);
    if (found?.isDirectory()) throw new UsageError(`${this.file} is a folder: store its files one by one.`);
    if (!found?.isFile()) throw new UsageError(`${this.file} cannot be read.`);
    const blob = await openAsBlob(this.file);
    if (blob.size > MAX_FILE_BYTES) throw new CliError(`${this.file} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
    return blob;
  }
}
